// The stage: camera, light, sky and ground around the picture of a model. It is drawn only when something has changed.
import {
  BasicShadowMap,
  Color,
  type DataTexture,
  DirectionalLight,
  HemisphereLight,
  MeshLambertMaterial,
  MeshStandardMaterial,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Scene as Space,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { floorMaterial, groundUniforms, lineGround } from "./ground";
import type { Scene } from "./messages";
import { ModelPicture } from "./model";
import { hasSoftwareOnly, Quality } from "./quality";
import { plainFloor, plainLight, plainSolid } from "./plain";
import { DARK, LIGHT, paintSky, skyDome, SUN } from "./sky";

const FROM = new Vector3(0.62, -0.92, 0.55); // the scene is first seen from the front, right and above

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 2000);
  readonly controls: OrbitControls;
  readonly space = new Space();
  model: ModelPicture | null = null;
  pictures = 0; // drawn so far

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
  readonly quality: Quality;
  private poses: Float32Array | null = null;
  private dirty = true;
  private fitted = false;
  private drew = 0; // when the last picture was begun, 0 if nothing had to be drawn [ms]

  constructor(private readonly place: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: !hasSoftwareOnly(), powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = hasSoftwareOnly() ? BasicShadowMap : PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.solid = hasSoftwareOnly()
      ? new MeshLambertMaterial()
      : new MeshStandardMaterial({ roughness: 0.62, metalness: 0.05 });
    place.append(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute("aria-label", "the scene: drag to turn, wheel to come nearer");

    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(FROM).multiplyScalar(8);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.refresh());

    this.space.add(this.sky, this.lines, this.air, this.sun, this.sun.target);
    this.quality = new Quality(this.renderer, this.sun);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.paint(dark.matches));
    this.paint(dark.matches);
    new ResizeObserver(() => this.resize()).observe(place);
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  /** Show another scene; the camera stays if there was one before. */
  setScene(scene: Scene): void {
    this.model?.dispose();
    const cheap = hasSoftwareOnly() && ModelPicture.isLarge(scene);
    const materials = cheap
      ? { solid: this.plainSolid, ground: this.plainFloor, copies: (m: DataTexture) => plainSolid(this.plain, m) }
      : { solid: this.solid, ground: this.floor };
    this.quality.setCheap(cheap);
    this.model = new ModelPicture(scene, materials);
    this.space.add(this.model.group);
    this.lines.visible = this.model.ground === null;
    this.poses = null;
    this.refresh();
  }

  show(poses: Float32Array): void {
    if (!this.model) return;
    this.poses = poses;
    this.model.show(poses);
    if (!this.fitted) {
      this.fit();
      this.fitted = true;
    }
    this.refresh();
  }

  /** Bring the whole scene into the picture. */
  fit(): void {
    if (!this.model || !this.poses) return;
    const all = this.model.extent(this.poses);
    const { center, radius } = all;
    const across = Math.min(1, this.camera.aspect);
    const away = (1.02 * radius) / Math.sin((0.5 * this.camera.fov * Math.PI) / 180) / across;
    this.camera.position.copy(FROM).setLength(away).add(center);
    this.controls.target.copy(center);
    this.camera.near = away / 500;
    this.camera.far = 60 * away;
    this.camera.updateProjectionMatrix();
    this.measure(all, away);
    this.controls.update();
    this.refresh();
  }

  refresh(): void {
    this.dirty = true;
  }

  /** Light, shadow and grid to the size of the scene. */
  private measure(all: Sphere, away: number): void {
    const reach = 1.6 * all.radius;
    this.sun.target.position.copy(all.center);
    this.sun.position.copy(SUN).multiplyScalar(3 * reach).add(all.center);
    Object.assign(this.sun.shadow.camera, {
      left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * reach, far: 8 * reach,
    });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * reach;
    this.sun.shadow.radius = 2.5;
    this.ground.uStep.value = 10 ** Math.round(Math.log10(all.radius / 4));
    this.ground.uFade.value = 9 * away;
    this.lines.scale.setScalar(40 * away);
    this.lines.position.set(0, 0, Math.min(0, all.center.z - all.radius));
  }

  private paint(dark: boolean): void {
    const tones = dark ? DARK : LIGHT;
    paintSky(this.sky, tones);
    this.ground.uHaze.value.set(tones.horizon);
    this.ground.uLine.value.set(tones.line);
    this.floor.color.set(dark ? "#566473" : "#e9eef3");
    this.floorColour.value.copy(this.floor.color);
    this.sun.intensity = tones.sun;
    this.air.intensity = tones.sky;
    const even = 1 / Math.PI; // of light that comes from everywhere, a surface gives back so much
    this.plain.uSunlight.value.copy(this.sun.color).multiplyScalar(even * tones.sun);
    this.plain.uAbove.value.copy(this.air.color).multiplyScalar(even * tones.sky);
    this.plain.uBelow.value.copy(this.air.groundColor).multiplyScalar(even * tones.sky);
    this.refresh();
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.place;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.refresh();
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    // from picture to picture: how long the drawing itself takes is not known here, it goes on elsewhere
    if (this.drew > 0 && this.quality.took(now - this.drew)) this.resize();
    this.drew = this.dirty ? now : 0;
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.space, this.camera);
    this.pictures += 1;
  }
}
