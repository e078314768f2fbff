"""Builders of the jointed models whose motion or forces have a closed form, and how to read and judge their runs.

Angles of planar models are those of the references in `exact`: right-hand rule about +y, motion in the x-z plane.
"""

import numpy as np

import gelenk as gk
from exact import cardan, n_pendulum, two_link_arm
from exact.compound_pendulum import across, centre, down
from exact.four_bar import four_bar
from exact.slider_crank import slider_crank
from gelenk.compile import ENABLED

UP, SIDE = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
THIN = 1e-3  # inertia about the axis of a thin rod [kg m^2]; any positive number serves a planar motion


def impulse(h, solver=None, **options):
    """The method of order 2, with the solver that is exact for trees unless another is given."""
    return gk.Impulse(h, solver=solver or gk.Tree(), **options)


def row_stepping(h):
    """The method of order 1, with the same solver."""
    return gk.RowStepping(h, solver=gk.Tree())


def moreau_tree(h):
    """The method in minimal coordinates, of order 2, loops cut by themselves."""
    return gk.MoreauTree(h, order=2, cut="auto")


impulse.order, row_stepping.order, moreau_tree.order = 2, 1, 2
METHODS = [impulse, row_stepping, moreau_tree]


def name(x):
    return getattr(x, "__name__", str(x))


def longer(compiled, interpreted):
    """A long run where it is cheap, a shorter one where every step is interpreted."""
    return compiled if ENABLED else interpreted


# ---- reading and judging ---------------------------------------------------------------------------------------------


def reaction(sim, joint):
    """(6,) force and couple of a joint on its second body at the joint, world axes, mean over the last step."""
    return np.concatenate([sim.sensors[f"{joint}.force"], sim.sensors[f"{joint}.torque"]])


def motor_force(sim, motor):
    """Force or torque of a motor or gear, mean over the last step."""
    return sim.sensors[f"{motor}.force"]


def record(model, method, t_end, dt, **outputs):
    """A run with samples every dt."""
    return gk.Simulation(model, method).run(t_end, output_dt=dt, outputs=outputs, progress=False)


def reactions(run, joint):
    """(n, 6) what :func:`reaction` gives, at every sample of a run; zero at the first."""
    return np.hstack([run[joint].force, run[joint].torque])


def angle_y(track):
    """(n,) angle of a body about +y, without jumps [rad]."""
    q = track.orientation
    return np.unwrap(2.0 * np.arctan2(q[:, 2], q[:, 0]))


def angle_apart(a, b):
    """Largest angle between angles [rad]."""
    return float(np.abs(np.angle(np.exp(1j * (np.asarray(a) - b)))).max())


def slopes(steps, errors):
    """Observed orders: slope of log(error) over log(h) for each column of ``errors`` (runs, kinds)."""
    return -np.polyfit(np.log(steps), np.log(np.asarray(errors)), 1)[0]


def converges(steps, errors, order, floor=0.0):
    """Whether each column of ``errors`` falls with the order, at least, or lies below what tolerances leave."""
    errors = np.asarray(errors)
    return bool(np.all((slopes(steps, errors) > order - 0.1) | (errors.max(axis=0) < floor)))


def joint_gap(sim):
    """Largest distance between the two sides of joints that hold a point [m], from the poses alone."""
    model, worst = sim.model, 0.0
    for pair in model.wired.joints.pair:
        ends = []
        for node, r in ((int(pair.a), pair.r_a), (int(pair.b), pair.r_b)):
            R = gk.math.rotation.rotation_matrix(sim.state.q_WB[node])
            ends.append(sim.state.p_WC[node] + R @ np.array(r))
        worst = max(worst, float(np.linalg.norm(ends[1] - ends[0])))
    return worst


# ---- planar parts ----------------------------------------------------------------------------------------------------


def turned(angle):
    """Quaternion of a turn about +y."""
    return (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)


def along(angle):
    """Direction of a bar that lies along +x at angle zero."""
    return np.array([np.cos(angle), 0.0, -np.sin(angle)])


def bar(b, body, p_W, angle, length, mass, rate=0.0, v_W=(0.0, 0.0, 0.0)):
    """A thin uniform rod from p_W on, along +x at angle zero; v_W is the velocity of its first end."""
    e, inertia = along(angle), mass * length**2 / 12.0
    half = 0.5 * length
    w_W = np.array([0.0, rate, 0.0])
    b.body(
        body,
        mass=mass,
        inertia=(THIN * inertia, inertia, inertia),
        at=np.asarray(p_W) + half * e,
        rotation=turned(angle),
        velocity=np.asarray(v_W) + np.cross(w_W, half * e),
        angular_velocity=w_W,
    )


# ---- pendulums -------------------------------------------------------------------------------------------------------


def compound_pendulum_model(pendulum, angle, rate):
    """One body on a hinge at the origin."""
    b = gk.Builder(gravity=(0.0, 0.0, -pendulum.gravity))
    b.body(
        "body",
        mass=pendulum.mass,
        inertia=(pendulum.inertia, pendulum.inertia, THIN),
        at=centre(pendulum, angle),
        rotation=turned(angle),
        velocity=pendulum.arm * rate * across(angle),
        angular_velocity=(0.0, rate, 0.0),
    )
    b.add(gk.Hinge(name="pivot", a="world", b="body", at=(0, 0, 0), axis=SIDE))
    return b.build()


def n_pendulum_model(links, angle, rate, gravity=9.81):
    """Links on hinges, the first of them on the world; bodies and joints are link0, hinge0, ..."""
    b = gk.Builder(gravity=(0.0, 0.0, -gravity))
    C = n_pendulum.reach(links)
    p_W, v_W = C @ down(angle), C @ (np.asarray(rate)[:, None] * across(angle))
    p_hinge, before = np.zeros(3), "world"
    for k, link in enumerate(links):
        b.body(
            f"link{k}",
            mass=link.mass,
            inertia=(link.inertia, link.inertia, THIN * link.inertia),
            at=p_W[k],
            rotation=turned(angle[k]),
            velocity=v_W[k],
            angular_velocity=(0.0, rate[k], 0.0),
        )
        b.add(gk.Hinge(name=f"hinge{k}", a=before, b=f"link{k}", at=p_hinge, axis=SIDE))
        p_hinge, before = p_hinge + link.length * down(angle[k]), f"link{k}"
    return b.build()


def heavy_top_model(top, start):
    """A symmetric top on a ball joint at its tip; phi = psi = 0 at the start, as in `exact.heavy_top`."""
    s, c = np.sin(start.theta), np.cos(start.theta)
    w_B = np.array([start.theta_rate, start.phi_rate * s, start.phi_rate * c + start.psi_rate])
    R_WB = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    w_W, p_W = R_WB @ w_B, R_WB @ np.array([0.0, 0.0, top.arm])
    across_centre = top.inertia_across - top.mass * top.arm**2
    b = gk.Builder(gravity=(0.0, 0.0, -top.gravity))
    b.body(
        "top",
        mass=top.mass,
        inertia=(across_centre, across_centre, top.inertia_axis),
        at=p_W,
        rotation=(np.cos(0.5 * start.theta), np.sin(0.5 * start.theta), 0.0, 0.0),
        velocity=np.cross(w_W, p_W),
        angular_velocity=w_W,
    )
    b.add(gk.Ball(name="tip", a="world", b="top", at=(0, 0, 0)))
    return b.build()


def scara_model(arm, q, qd, torques):
    """Two links on vertical hinges with a force motor in each (virtual-worlds 3.19)."""
    x, v = two_link_arm.bodies(arm, q), two_link_arm.body_rates(arm, q, qd)
    b = gk.Builder()
    for k, (mass, length) in enumerate(((arm.m1, arm.l1), (arm.m2, arm.l2))):
        (px, py, turn), (vx, vy, rate) = x[3 * k : 3 * k + 3], v[3 * k : 3 * k + 3]
        inertia = mass * length**2 / 12.0
        b.body(
            f"link{k}",
            mass=mass,
            inertia=(THIN, inertia, inertia),
            at=(px, py, 0.0),
            rotation=(np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn)),
            velocity=(vx, vy, 0.0),
            angular_velocity=(0.0, 0.0, rate),
        )
    elbow = arm.l1 * np.array([np.cos(q[0]), np.sin(q[0]), 0.0])
    b.add(gk.Hinge(name="shoulder", a="world", b="link0", at=(0, 0, 0), axis=UP))
    b.add(gk.Hinge(name="elbow", a="link0", b="link1", at=elbow, axis=UP))
    for motor, joint, torque in zip(("M1", "M2"), ("shoulder", "elbow"), torques):
        b.add(gk.ForceMotor(name=motor, on=joint, force=torque))
    return b.build()


# ---- mechanisms ------------------------------------------------------------------------------------------------------


def four_bar_model(bars, angle, rate, masses, *, closing="hinge", speed=None, rocker_torque=0.0, gravity=9.81):
    """Crank, coupler and rocker as uniform rods; ``speed`` adds a motor on the crank.

    closing : the last joint, at C: "hinge", as built, with three rows that the others imply already, or "line", a point
        on a line across the plane, which closes the loop with no row too many
    """
    at = four_bar(bars, angle, rate)
    p_WD = np.array([bars.ground, 0.0, 0.0])
    w_W = np.array([0.0, rate, 0.0])
    b = gk.Builder(gravity=(0.0, 0.0, -gravity))
    bar(b, "crank", np.zeros(3), angle, bars.crank, masses[0], rate)
    bar(b, "coupler", at.p_WB, float(at.coupler), bars.coupler, masses[1], at.coupler_rate, np.cross(w_W, at.p_WB))
    bar(b, "rocker", p_WD, float(at.rocker), bars.rocker, masses[2], at.rocker_rate)
    b.add(gk.Hinge(name="A", a="world", b="crank", at=(0, 0, 0), axis=SIDE))
    b.add(gk.Hinge(name="B", a="crank", b="coupler", at=at.p_WB, axis=SIDE))
    b.add(gk.Hinge(name="D", a="world", b="rocker", at=p_WD, axis=SIDE))
    last = gk.Hinge if closing == "hinge" else gk.BallOnLine
    b.add(last(name="C", a="coupler", b="rocker", at=at.p_WC, axis=SIDE))
    if speed is not None:
        b.add(gk.VelocityMotor(name="motor", on="A", speed=speed))
    if rocker_torque != 0.0:
        b.add(gk.ForceMotor(name="load", on="D", force=rocker_torque))
    return b.build()


def slider_crank_model(mechanism, angle, rate, masses, *, closing="hinge", speed=None, force=0.0, gravity=9.81):
    """Crank and rod as uniform rods and a block on a guide, which is pushed along +x; ``closing`` as above, at P."""
    at = slider_crank(mechanism, angle, rate)
    p_WB = mechanism.crank * along(angle)
    w_W = np.array([0.0, rate, 0.0])
    p_WP = np.array([float(at.x), 0.0, mechanism.offset])
    b = gk.Builder(gravity=(0.0, 0.0, -gravity))
    bar(b, "crank", np.zeros(3), angle, mechanism.crank, masses[0], rate)
    bar(b, "rod", p_WB, float(at.rod), mechanism.rod, masses[1], float(at.rod_rate), np.cross(w_W, p_WB))
    b.body("block", mass=masses[2], inertia=(1e-2, 1e-2, 1e-2), at=p_WP, velocity=(float(at.speed), 0.0, 0.0))
    b.add(gk.Hinge(name="A", a="world", b="crank", at=(0, 0, 0), axis=SIDE))
    b.add(gk.Hinge(name="B", a="crank", b="rod", at=p_WB, axis=SIDE))
    b.add(gk.Slider(name="guide", a="world", b="block", at=p_WP, axis=(1, 0, 0)))
    last = gk.Hinge if closing == "hinge" else gk.BallOnLine
    b.add(last(name="P", a="rod", b="block", at=p_WP, axis=SIDE))
    if speed is not None:
        b.add(gk.VelocityMotor(name="motor", on="A", speed=speed))
    if force != 0.0:
        b.add(gk.Wrench("push", "block", force=(force, 0.0, 0.0)))
    return b.build()


def shaft(b, body, p_W, e_W, rate, inertia=0.02):
    """A body that turns about e_W through p_W; its x axis lies along e_W."""
    turn = np.arctan2(-e_W[2], e_W[0])  # from +x about +y
    b.body(
        body,
        mass=1.0,
        inertia=(inertia, 0.1, 0.1),
        at=p_W,
        rotation=turned(turn),
        angular_velocity=rate * np.asarray(e_W),
    )


def cardan_model(bend, speed, *, bearing="line", output_torque=0.0, inertia=0.02):
    """Two shafts that meet at the origin, the input driven at a speed, a torque on the output (`exact.cardan`).

    bearing : of the output: "line", one more point of it on its axis, or "hinge", which holds the point of the cross
        as well, for the second time
    """
    e_in, e_out = cardan.shafts(bend)
    p_in, _ = cardan.pins(0.0, bend)
    b = gk.Builder(gravity=(0, 0, 0))
    shaft(b, "input", -0.5 * e_in, e_in, speed, inertia)
    shaft(b, "output", 0.5 * e_out, e_out, speed * float(cardan.speed_ratio(0.0, bend)), inertia)
    b.add(gk.Hinge(name="in", a="world", b="input", at=-0.5 * e_in, axis=e_in))
    b.add(gk.Universal(name="cross", a="input", b="output", at=(0, 0, 0), axis=e_out, x_axis=p_in))
    kind = gk.BallOnLine if bearing == "line" else gk.Hinge
    b.add(kind(name="out", a="world", b="output", at=0.5 * e_out, axis=e_out))
    b.add(gk.VelocityMotor(name="motor", on="in", speed=speed))
    if output_torque != 0.0:
        b.add(gk.Wrench("load", "output", torque=output_torque * e_out))
    return b.build()


def double_cardan_model(bend_1, bend_2, speed, twist=0.0, inertia=0.02):
    """Input, middle and output shaft in one plane with a cross between each two; the output may slide in its bearing.

    twist : of the second fork of the middle shaft against the first; zero is the right way to build it
    """
    e_in, e_mid = cardan.shafts(bend_1)
    e_out = np.array([np.cos(bend_1 + bend_2), 0.0, -np.sin(bend_1 + bend_2)])
    middle = float(cardan.speed_ratio(0.0, bend_1))
    output = float(cardan.double_speed_ratio(0.0, bend_1, bend_2, twist))
    b = gk.Builder(gravity=(0, 0, 0))
    shaft(b, "input", -0.5 * e_in, e_in, speed, inertia)
    shaft(b, "middle", 0.25 * e_mid, e_mid, speed * middle, inertia)
    p_W = 0.5 * e_mid
    shaft(b, "output", p_W + 0.5 * e_out, e_out, speed * output, inertia)
    # Pins of the middle shaft: the first, where it takes over from the input, and the second, turned by the twist.
    p_in, p_first = cardan.pins(0.0, bend_1)
    p_second = np.cos(twist) * p_first + np.sin(twist) * np.cross(e_mid, p_first)
    p_last = np.cross(p_second, e_out)
    p_last /= np.linalg.norm(p_last)
    b.add(gk.Hinge(name="in", a="world", b="input", at=-0.5 * e_in, axis=e_in))
    b.add(gk.Universal(name="cross1", a="input", b="middle", at=(0, 0, 0), axis=np.cross(p_in, p_first), x_axis=p_in))
    axis = np.cross(p_second, p_last)
    b.add(gk.Universal(name="cross2", a="middle", b="output", at=p_W, axis=axis, x_axis=p_second))
    b.add(gk.Cylindrical(name="out", a="world", b="output", at=p_W + e_out, axis=e_out))
    b.add(gk.VelocityMotor(name="motor", on="in", speed=speed))
    return b.build()


def press_model(lead, *, force, torque=None, speed=None, gravity=9.81):
    """A spindle in a fixed nut presses a platen down its guide, against a force up; the nut's axis is +z.

    torque : of a motor on the spindle, or ``speed`` of one that gives what it takes
    """
    b = gk.Builder(gravity=(0.0, 0.0, -gravity))
    rate = speed or 0.0
    v_W = (0.0, 0.0, lead * rate / (2.0 * np.pi))
    spin = (0.0, 0.0, rate)
    b.body("spindle", mass=3.0, inertia=(0.1, 0.1, 0.02), at=(0, 0, 0), velocity=v_W, angular_velocity=spin)
    b.body("platen", mass=5.0, inertia=(0.2, 0.2, 0.3), at=(0, 0, -0.4), velocity=v_W)
    b.add(gk.Screw(name="nut", a="world", b="spindle", at=(0, 0, 0), axis=UP, lead=lead))
    b.add(gk.Slider(name="guide", a="world", b="platen", at=(0.3, 0, -0.4), axis=UP))
    b.add(gk.BallOnPlane(name="seat", a="platen", b="spindle", at=(0, 0, -0.3), axis=UP))
    if torque is not None:
        b.add(gk.ForceMotor(name="motor", on="nut.angle", force=torque))
    if speed is not None:
        b.add(gk.VelocityMotor(name="motor", on="nut.angle", speed=speed))
    b.add(gk.Wrench("work", "platen", force=(0.0, 0.0, force)))
    return b.build()


def axle_model(inertias, loads, speed, rates=(0.0, 0.0)):
    """Two wheels on hinges about +y with braking torques on them, driven through a differential."""
    b = gk.Builder(gravity=(0, 0, 0))
    for k, (inertia, load, rate) in enumerate(zip(inertias, loads, rates)):
        y = 0.8 * (2 * k - 1)
        b.body(f"wheel{k}", mass=10.0, inertia=(0.6, inertia, 0.6), at=(0, y, 0), angular_velocity=(0, rate, 0))
        b.add(gk.Hinge(name=f"axle{k}", a="world", b=f"wheel{k}", at=(0, y, 0), axis=SIDE))
        if load != 0.0:
            b.add(gk.Wrench(f"load{k}", f"wheel{k}", torque=(0.0, load, 0.0)))
    b.add(gk.Differential(name="differential", first="axle0", second="axle1", speed=speed))
    return b.build()


# ---- chains and trees ------------------------------------------------------------------------------------------------


def hanging_chain_model(links, e_W, *, load=0.0, f_end_W=(0.0, 0.0, 0.0), gravity=9.81):
    """Links on ball joints in the directions e_W (n, 3), at rest; a body at the end, or a force there."""
    b = gk.Builder(gravity=(0.0, 0.0, -gravity))
    p_W, before = np.zeros(3), "world"
    for k, (link, e) in enumerate(zip(links, e_W)):
        turn = np.arctan2(-e[0], -e[2])
        inertia = (link.inertia, link.inertia, 0.1 * link.inertia)
        b.body(f"link{k}", mass=link.mass, inertia=inertia, at=p_W + link.arm * e, rotation=turned(turn))
        b.add(gk.Ball(name=f"joint{k}", a=before, b=f"link{k}", at=p_W))
        p_W, before = p_W + link.length * e, f"link{k}"
    if load > 0.0:
        b.body("load", mass=load, inertia=(0.1, 0.1, 0.1), at=p_W - [0.0, 0.0, 0.2])
        b.add(gk.Ball(name="hook", a=before, b="load", at=p_W))
    if np.any(f_end_W):
        end = (0.0, 0.0, -(links[-1].length - links[-1].arm))
        b.add(gk.Wrench("pull", before, force=f_end_W, at=end))
    return b.build()


def floating_arm_model(arm, p_W, v_W, angle, rate, speeds=None):
    """A free base with an arm on hinges, from a motion of `exact.floating_arm` at one time; motors at given speeds."""
    b = gk.Builder(gravity=(0, 0, 0))
    masses = [(arm.mass, arm.inertia), *((link.mass, link.inertia) for link in arm.links)]
    names = ["base", *(f"link{k}" for k in range(len(arm.links)))]
    for k, (mass, inertia) in enumerate(masses):
        b.body(
            names[k],
            mass=mass,
            inertia=(inertia, inertia, inertia),
            at=p_W[k],
            rotation=turned(angle[k]),
            velocity=v_W[k],
            angular_velocity=(0.0, rate[k], 0.0),
        )
    p_joint = p_W[0] + arm.joint * along(angle[0])
    for k, link in enumerate(arm.links):
        b.add(gk.Hinge(name=f"joint{k}", a=names[k], b=names[k + 1], at=p_joint, axis=SIDE))
        if speeds is not None:
            b.add(gk.VelocityMotor(name=f"motor{k}", on=f"joint{k}", speed=speeds[k]))
        p_joint = p_joint + link.length * along(angle[k + 1])
    return b.build()


def binary_tree_model(levels, *, hinge=False, gravity=0.0):
    """The tree of impulse-dynamics 5.2: a support and 2^levels - 1 boxes on ball joints, two at the end of each.

    A box at depth d is 0.1 m 1.5^(levels - d) long, 4 cm across, 600 kg/m^3; siblings leave by 0.5 rad to both sides,
    in planes that change from level to level. The support floats, or turns on a hinge about +z.
    """
    b = gk.Builder(gravity=(0.0, 0.0, -gravity))
    b.body("support", shape=gk.Box((0.2, 0.2, 0.1)), density=600, at=(0, 0, 0))
    if hinge:
        b.add(gk.Hinge(name="axle", a="world", b="support", at=(0, 0, 0), axis=UP))
    rotation = gk.math.rotation.quat_from_axis_angle

    def grow(index, depth, parent, p_W, q):
        length = 0.1 * 1.5 ** (levels - depth)
        e = np.array(gk.math.rotation.rotation_matrix(tuple(q)))[:, 0]
        at = p_W + 0.5 * length * e
        b.body(f"b{index}", shape=gk.Box((length, 0.04, 0.04)), density=600, at=at, rotation=tuple(q))
        b.add(gk.Ball(name=f"j{index}", a=parent, b=f"b{index}", at=p_W))
        if depth < levels:
            axis = (0.0, 1.0, 0.0) if depth % 2 else (0.0, 0.0, 1.0)
            for k, side in enumerate((0.5, -0.5)):
                grow(2 * index + k, depth + 1, f"b{index}", p_W + length * e, q * rotation(axis, side))

    grow(1, 1, "support", np.array([0.0, 0.0, -0.05]), rotation((0.0, 1.0, 0.0), 0.5 * np.pi))
    return b.build()


def ball_chain_model(n, *, fixed, gravity=9.81, direction=(1.0, 0.0, 0.0), v_W=None):
    """The chain of impulse-dynamics 5.3: n boxes of 1 kg, 1 m by 0.1 m by 0.1 m, in a row; ``fixed`` to the world."""
    b = gk.Builder(gravity=(0.0, 0.0, -gravity))
    e = np.asarray(direction)
    turn = np.arctan2(-e[2], e[0])
    for k in range(n):
        velocity = (0.0, 0.0, 0.0) if v_W is None else v_W[k]
        b.body(
            f"b{k}", shape=gk.Box((1.0, 0.1, 0.1)), mass=1.0, at=(k + 0.5) * e, rotation=turned(turn), velocity=velocity
        )
        if k > 0 or fixed:
            b.add(gk.Ball(name=f"j{k}", a=f"b{k - 1}" if k else "world", b=f"b{k}", at=k * e))
    return b.build()


def v_chain_model(n, *, up, length=0.02):
    """Particles of 1 g on rods of 2 cm between two fixed ends, at rest in a V, or in one upside down."""
    b = gk.Builder()
    slope = np.array([0.5, 0.0, np.sqrt(0.75) if up else -np.sqrt(0.75)])
    p_W = [np.zeros(3)]
    for k in range(n):
        p_W.append(p_W[-1] + length * (slope if k < n // 2 else slope * [1.0, 0.0, -1.0]))
    for k, p in enumerate(p_W):
        b.particle(f"p{k}", mass=None if k in (0, n) else 1e-3, at=p, static=k in (0, n))
    for k in range(n):
        b.add(gk.Distance(name=f"rod{k}", a=f"p{k}", b=f"p{k + 1}"))
    return b.build()
