// The stage: light, sky and ground around the picture of a model. It is drawn only when something has changed.
import {
  Color,
  type DataTexture,
  DirectionalLight,
  HemisphereLight,
  MeshLambertMaterial,
  MeshStandardMaterial,
  LinearToneMapping,
  PCFShadowMap,
  type PerspectiveCamera,
  Scene as Space,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import type { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Aim, Eye, Shows, Side } from "./cameras";
import { Drawings } from "./drawings";
import { withEdges } from "./edges";
import type { Frame } from "./frame";
import { freeOf } from "./free";
import { Highlight } from "./highlight";
import { floorMaterial, groundUniforms, lineGround } from "./ground";
import { coloursOf, type Colouring, type LayerName, Layers } from "./layers";
import type { Light, Look, Rig, Scene } from "./messages";
import { ModelPicture, type Picked } from "./model";
import { Names } from "./names";
import { plainFloor, plainLight, plainSolid } from "./plain";
import { hasSoftwareOnly, Quality } from "./quality";
import { Rigging } from "./rigs";
import { Scenery, SHEEN } from "./scenery";
import { Signs } from "./signs";
import { paintSky, skyDome } from "./sky";
import type { Stereo } from "./stereo";
import { type Shine, shineOf, Surroundings } from "./surroundings";
import { Trails } from "./trails";
import { type Count, Viewports } from "./viewports";

const LARGE = 4000; // corners of surfaces that deform, from which on they are drawn cheaply without a graphics processor
const STAYS = 500; // a picture that has not changed for so long is drawn once more, sharp [ms]

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly space = new Space();
  readonly viewports: Viewports;
  readonly layers = new Layers();
  readonly trails = new Trails();
  readonly highlight = new Highlight();
  readonly names: Names;
  readonly quality: Quality;
  model: ModelPicture | null = null;
  signs: Signs | null = null;
  drawings: Drawings | null = null;
  coloured: Colouring = "material"; // what the colours of the picture tell
  pictures = 0; // drawn so far
  drawCalls = 0; // of the last picture
  looked = 0; // number of the last word from where to look
  onScale: (ends: [number, number] | null) => void = () => {}; // what the ends of the colours stand for

  private readonly sun = new DirectionalLight("#fffaf3");
  private readonly air = new HemisphereLight("#eef4ff", "#a3a3a3");
  private readonly sky = skyDome();
  private readonly ground = groundUniforms();
  private readonly lines = lineGround(this.ground);
  private readonly floor = floorMaterial(this.ground);
  private readonly solid;
  private readonly plain = plainLight();
  private readonly plainSolid = plainSolid(this.plain);
  private readonly floorColour = { value: new Color() };
  private readonly plainFloor = plainFloor(this.plain, this.ground, this.floorColour);
  readonly surroundings = new Surroundings(this.space, this.sun, this.air);
  readonly scenery = new Scenery(() => this.refresh());
  private shine: Shine = shineOf(null, false);
  private dark = false;
  private scene: Scene | null = null;
  private frame: Frame | null = null;
  private whole = new Sphere(); // the ball around all
  private dirty = true;
  private fitted = false;
  private drew = 0; // when the last picture was begun, 0 if nothing had to be drawn [ms]
  private still = 0; // when the last picture was drawn that may stay, 0 or 1 if it is sharp [ms]

  constructor(private readonly place: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: !hasSoftwareOnly(), powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = LinearToneMapping;
    this.renderer.toneMappingExposure = 0.92;
    this.renderer.info.autoReset = false;
    this.solid = withEdges(
      hasSoftwareOnly() ? new MeshLambertMaterial() : new MeshStandardMaterial({ roughness: 0.62, metalness: 0.05 }),
    );
    const canvas = this.renderer.domElement;
    place.append(canvas);
    canvas.tabIndex = 0;
    canvas.setAttribute("aria-label", "the scene: drag or shift and arrows to turn, wheel or + and - to come nearer");

    this.viewports = new Viewports(place, canvas, () => this.refresh());
    this.names = new Names(place);
    this.space.add(this.sky, this.lines, this.air, this.sun, this.sun.target, this.trails.group, this.highlight.lines, this.scenery.group);
    this.quality = new Quality(this.renderer, this.sun);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.paint(dark.matches));
    this.paint(dark.matches);
    new ResizeObserver(() => {
      this.resize();
      this.centre();
    }).observe(place);
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  /** Camera and controls of the picture at work. */
  get camera(): PerspectiveCamera {
    return this.viewports.eye.camera;
  }

  get controls(): OrbitControls {
    return this.viewports.eye.controls;
  }

  /** Show another scene; the cameras stay if there were some before. */
  setScene(scene: Scene): void {
    for (const old of [this.model, this.signs, this.drawings]) old?.dispose();
    const corners = scene.skins.reduce((sum, skin) => sum + skin.vertices, 0);
    const cheap = hasSoftwareOnly() && (ModelPicture.isLarge(scene) || corners > LARGE);
    const materials = cheap
      ? { solid: this.plainSolid, ground: this.plainFloor, copies: (m: DataTexture) => plainSolid(this.plain, m) }
      : { solid: this.solid, ground: this.floor };
    this.quality.setCheap(cheap);
    this.viewports.goOn(this.scene, scene);
    this.scene = scene;
    this.model = new ModelPicture(scene, materials, () => this.refresh());
    this.signs = new Signs(scene, this.plain);
    this.drawings = new Drawings(scene, this.plain, cheap);
    this.space.add(this.model.group, this.signs.group, this.drawings.group);
    this.signs.size = this.drawings.size = this.whole.radius || 1;
    this.frame = null;
    this.trails.choose(this.trails.names.filter((name) => scene.nodes.some((node) => node.name === name)));
    for (const name of this.layers.all) this.setLayer(name, this.layers.has(name));
    this.refresh();
  }

  show(frame: Frame): void {
    if (!this.model || !this.scene) return;
    this.frame = frame;
    this.model.show(frame.poses);
    this.drawings?.show(frame);
    this.trails.show(this.scene, frame);
    this.colour();
    for (const eye of this.viewports.shown) this.move(eye, frame);
    if (!this.fitted) {
      this.fit();
      this.fitted = true;
    }
    this.signs?.show(frame);
    this.highlight.show(frame.poses);
    this.refresh();
  }

  private move(eye: Eye, frame: Frame): void {
    const view = this.scene ? eye.rigging?.at(this.scene, frame.poses, frame.time) : null;
    if (view) eye.put(view);
    else eye.goAlong(frame.poses);
  }

  /** Cameras to choose from. */
  rigs: Rig[] = [];

  /** Look through a declared camera. */
  through(rig: Rig): void {
    const { eye } = this.viewports;
    eye.through(new Rigging(rig));
    if (this.frame) this.move(eye, this.frame);
    this.centre();
    this.viewports.onActive();
    this.refresh();
  }

  /** The next of the declared cameras. */
  nextRig(): void {
    const now = this.rigs.findIndex((rig) => rig.name === this.viewports.eye.rigging?.rig.name);
    this.through(this.rigs[(now + 1) % this.rigs.length]);
  }

  /** Bring the whole scene into the picture at work. */
  fit(): void {
    this.look("home", this.viewports.eye, true);
  }

  /** Look from a side, with the whole scene in the picture if it is to be. */
  look(side: Side, eye: Eye = this.viewports.eye, whole = false): void {
    if (whole) this.measure();
    const { center, radius } = this.whole;
    if (whole) {
      const pane = this.viewports.paneOf(eye);
      const { middle, width, height } = freeOf(pane, this.place);
      const part = Math.min(width, height) / pane.height; // of the height, which the angle of view is about
      const open = Math.atan(Math.tan((0.5 * eye.camera.fov * Math.PI) / 180) * part);
      eye.middle = middle;
      eye.look(side, center, (1.02 * radius) / Math.sin(open));
    } else eye.look(side);
    this.refresh();
  }

  follow(aim: Aim, node: number): void {
    this.viewports.eye.follow(aim, node, this.scene, this.frame?.poses ?? null);
    this.refresh();
  }

  /** Look from where a program says. */
  obey(look: Look): void {
    const eye = this.viewports.eye;
    const v = (p: [number, number, number]): Vector3 => new Vector3(...p);
    const node = look.body && this.scene ? this.scene.nodes.findIndex((n) => n.name === look.body) : -1;
    const rig = this.rigs.find((one) => one.name === look.rig);
    if (rig) this.through(rig);
    else if (node > 0) {
      this.follow(look.fixed ? "body" : "follow", node);
      if (look.eye) eye.lookBeside(v(look.eye));
    } else if (look.toward) {
      if (eye.aim !== "orbit") this.follow("orbit", 0);
      this.fit();
      eye.lookFrom(v(look.toward), eye.controls.target.clone(), eye.distance);
    } else if (look.eye && !look.body) eye.lookAt(v(look.eye), v(look.target ?? [0, 0, 0]));
    this.looked = look.number;
    this.viewports.onActive();
    this.refresh();
  }

  setStereo(stereo: Stereo): void {
    this.viewports.stereo = stereo;
    this.refresh();
  }

  /** What the picture at work shows. */
  setShows(shows: Shows): void {
    this.viewports.eye.shows = shows;
    this.refresh();
  }

  setViewports(count: Count): void {
    this.viewports.setCount(count, (eye, side) => this.look(side, eye, true));
    this.centre();
    this.refresh();
  }

  /** Look at the middle of what panels leave free; not whenever one is unfolded, which would move the picture. */
  private centre(): void {
    for (const eye of this.viewports.shown) {
      eye.middle = eye.rigging ? [0, 0] : freeOf(this.viewports.paneOf(eye), this.place).middle;
      if (this.frame) this.move(eye, this.frame);
    }
  }

  setLayer(name: LayerName, on: boolean): void {
    this.layers.set(name, on);
    switch (name) {
      case "visual": this.model?.showVisual(on); break;
      case "physical": this.model?.showPhysical(on); break;
      case "springs": if (this.drawings) this.drawings.springs = on; break;
      case "names": this.names.on = on; break;
      case "shadows": this.quality.setShadows(on); break;
      case "grid":
        this.ground.uGrid.value = on ? 1 : 0;
        this.lines.visible = on && this.model?.ground === null;
        break;
      default: this.signs?.set(name, on);
    }
    this.refresh();
  }

  setColouring(colouring: Colouring): void {
    this.layers.colouring = colouring;
    this.colour();
    this.refresh();
  }

  setTrails(names: string[], seconds: number): void {
    this.trails.seconds = seconds;
    this.trails.choose(names);
    this.refresh();
  }

  /** Mark a body; none for one that is not there. */
  select(node: number): void {
    this.highlight.select(node > 0 ? this.model : null, node, this.frame?.poses ?? null);
    this.refresh();
  }

  /** What is seen at a point of the page. */
  pick(clientX: number, clientY: number): Picked | null {
    const { index, x, y } = this.viewports.at(clientX, clientY);
    return this.model?.pick(this.viewports.shown[index].ray(x, y)) ?? null;
  }

  refresh(): void {
    this.dirty = true;
  }

  private colour(): void {
    if (!this.model || !this.frame) return;
    const colours = coloursOf(this.frame, this.layers.colouring);
    if (!colours && this.layers.colouring !== "material") return; // the next frames will have them
    this.model.paint(colours?.rgb ?? null);
    this.coloured = this.layers.colouring;
    this.onScale(colours?.ends ?? null);
  }

  /** Light, shadow and grid to the size of the scene. */
  private measure(): void {
    if (!this.model || !this.frame) return;
    this.whole = this.model.extent(this.frame.poses, this.drawings?.points() ?? []);
    const { center, radius } = this.whole;
    const reach = 1.6 * radius;
    this.sun.target.position.copy(center);
    this.sun.position.copy(this.shine.toward).multiplyScalar(3 * reach).add(center);
    Object.assign(this.sun.shadow.camera, {
      left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * reach, far: 8 * reach,
    });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * reach;
    this.sun.shadow.radius = 2.5;
    this.ground.uStep.value = 10 ** Math.round(Math.log10(radius / 4));
    const away = 3 * radius;
    this.ground.uFade.value = 9 * away;
    this.lines.scale.setScalar(40 * away);
    this.lines.position.set(0, 0, Math.min(0, center.z - radius));
    if (this.signs) this.signs.size = radius;
    if (this.drawings) this.drawings.size = radius;
  }

  /** Another light. */
  light(told: Light): void {
    this.surroundings.set(told);
    this.scenery.relight(this.surroundings.lamps);
    this.paint(this.dark);
    this.measure();
  }

  private paint(dark: boolean): void {
    this.dark = dark;
    this.shine = shineOf(this.surroundings.told, dark);
    const { tones, sunColour, above, under, toward } = this.shine;
    paintSky(this.sky, this.shine);
    this.surroundings.paint(this.shine);
    this.ground.uHaze.value.set(tones.horizon);
    SHEEN.value.set(tones.horizon);
    this.ground.uLine.value.set(tones.line);
    this.floor.color.set(dark ? "#566473" : "#e9eef3");
    this.floorColour.value.copy(this.floor.color);
    const even = 1 / Math.PI; // of light that comes from everywhere, a surface gives back so much
    this.plain.uSun.value.copy(toward);
    this.plain.uSunlight.value.copy(sunColour).multiplyScalar(even * tones.sun);
    this.plain.uAbove.value.copy(above).multiplyScalar(even * tones.sky);
    this.plain.uBelow.value.copy(under).multiplyScalar(even * tones.sky);
    this.refresh();
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.place;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h);
    this.viewports.resize();
    this.refresh();
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    // from picture to picture: how long the drawing itself takes is not known here, it goes on elsewhere
    if (this.drew > 0 && this.quality.took(now - this.drew)) this.resize();
    this.drew = this.dirty ? now : 0;
    if (this.dirty) {
      this.quality.sharpen(false);
      this.still = this.quality.blurred ? now : 1;
      this.draw();
    } else if (this.still > 1 && now - this.still > STAYS) this.drawSharp();
  }

  /** Draw now, at the full level: a picture that stays, or one that is kept. */
  drawSharp(): void {
    this.still = this.drew = 0;
    this.quality.sharpen(true);
    this.draw();
  }

  private draw(): void {
    this.dirty = false;
    this.renderer.info.reset();
    const shown = this.viewports.shown;
    const apart = shown.some((eye) => eye.shows !== "layers");
    this.signs?.readyJoints(shown.some((eye) => eye.shows === "proxies"));
    const layers = { visual: this.layers.has("visual"), physical: this.layers.has("physical") };
    this.surroundings.goAlong(this.viewports.eye, this.whole.radius, this.shine.toward, this.scenery.group.children.length > 0);
    this.viewports.draw(this.renderer, (eye, camera) => {
      this.scenery.goAlong(eye.camera);
      if (apart) {
        this.model?.only(eye.shows, layers);
        this.signs?.seeJoints(eye.shows === "proxies");
      }
      this.renderer.render(this.space, camera);
    });
    if (apart) this.model?.only("layers", layers); // what hands meet
    if (this.scene && this.frame) {
      const named = this.viewports.stereo === "off" ? shown : []; // a name would hang in front of both eyes alike
      this.names.show(this.scene, this.frame.poses, named, this.viewports.panes());
    }
    this.drawCalls = this.renderer.info.render.calls;
    this.pictures += 1;
  }
}
