"""One element of every kind of joint and drive, with fields that differ from their defaults."""

import math

import gelenk as gk

ACROSS = {"axis": (0.0, 0.6, 0.8), "x_axis": (0.0, -0.8, 0.6)}
CURVE = ((0.0, 0.0, 0.0), (0.3, 0.1, 0.0), (0.7, 0.1, 0.1), (1.0, 0.0, 0.3), (1.2, -0.2, 0.3))
GRID = tuple(tuple((0.3 * i, 0.3 * j, 0.05 * i * i + 0.1 * j) for j in range(4)) for i in range(4))

JOINTS = [
    gk.ArticulatedSteering(
        name="loader",
        a="base",
        b="arm",
        at=(0.1, 0, 0.2),
        **ACROSS,
        lock_below=0.5,
        speed=2.0,
        limits={"twist": (-1, 1)},
    ),
    gk.Ball(name="ball", a="base", b="arm", at=(0, 0.1, 0.3), limits={"swing": (0, 1), "twist": (-0.5, math.inf)}),
    gk.BallOnCurve(name="on curve", a="base", b="arm", points=CURVE, at=CURVE[2], limits=(0, 0.9)),
    gk.BallOnLine(name="on line", a="base", b="arm", at=(0, 0, 1), axis=(0, 0, 1), gain=0.25),
    gk.BallOnPlane(name="on plane", a="base", b="arm", at=(0, 0, 1), axis=(1, 0, 0), break_force=1e4),
    gk.BallOnSurface(name="on surface", a="base", b="arm", points=GRID, at=GRID[1][2]),
    gk.Cylindrical(name="tube", a="base", b="arm", at=(0, 0, 0), axis=(0, 1, 0), break_torque=7.5),
    gk.DampedHinge(name="wheel", a="base", b="arm", at=(1, 0, 0), **ACROSS, stiffness=2e4, damping=1e3, load=3e3),
    gk.Distance(name="rod", a="base", b="arm", at_a=(0, 0, 0), at_b=(0.5, 0, 0), length=0.5),
    gk.Hinge(name="hinge", a="base", b="arm", at=(0.1, 0.2, 0.3), axis=(0, 1, 0), limits=(-2.0, 2.0)),
    gk.Planar(name="table", a="base", b="arm", at=(0, 0, 0.1), axis=(0, 0, 1), blocked=False),
    gk.Rigid(name="weld", a="base", b="arm", at=(0, 0, 0.1), break_force=10.0),
    gk.Screw(name="screw", a="base", b="arm", at=(0, 0, 0), axis=(1, 0, 0), lead=-0.01),
    gk.Slider(name="slider", a="base", b="arm", at=(0, 0, 0), axis=(0, 0, 1), blocked=True),
    gk.SliderOnCurve(name="rail", a="base", b="arm", points=CURVE, at=CURVE[1]),
    gk.SteeredSuspension(name="front", a="base", b="arm", at=(1, 0, 0), **ACROSS, stiffness=2e4),
    gk.Universal(name="cardan", a="base", b="arm", at=(0, 0, 0), **ACROSS, limits={"angle_x": (-1, 1)}),
]
DRIVES = [
    gk.Connection(name="wire", output="hinge.rate", input="servo.target", factor=-0.5, offset=0.25),
    gk.Deceleration(name="resistance", body="arm", normal=(0, 0, 1), force_max=5.0, at=(1, 2, 3)),
    gk.Differential(name="axle", first="hinge", second="tube.angle", speed=1.0, force_max=100.0, braking=0.0),
    gk.DirectControl(name="hand", body="arm", at=(0, 0, 1), mode="pose", rate=3.0, force_max=10.0),
    gk.Driven(
        name="lift",
        on="tube.angle",
        times=(0.0, 1.0, 2.5),
        places=(0.0, 0.2, 0.1),
        between="rest",
        acceleration_max=9.0,
    ),
    gk.ForceMotor(name="piston", on="slider", force=-3.0),
    gk.Gear(name="gear", first="hinge.angle", second="slider", ratio=-0.25, positions=False),
    gk.Grab(name="mouse", body="arm", force_max=20.0, at=(0, 0, 1), to=(0, 1, 1), gain=0.1),
    gk.JointSpring(name="torsion", on="cardan.angle_y", stiffness=2.0, damping=0.1, rest=0.5, force_min=0.0),
    gk.Servo(name="servo", on="tube.position", target=0.2, kp=5.0, ki=1.0, kd=0.1, force_max=30.0),
    gk.VelocityMotor(name="motor", on="hinge", speed=3.0, force_max=2.0, braking=0.01),
]


def base_and_arm():
    """A builder with two bodies that move, a static one, a particle and two frames."""
    b = gk.Builder(name="samples")
    tilted = gk.unit((1.0, 0.2, -0.3, 0.1))
    b.body("base", mass=2.0, inertia=(0.2, 0.3, 0.4), com=(0.1, 0, 0.05), at=(0.2, -0.1, 0.4), rotation=tilted)
    b.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.02), com=(0, 0.02, 0), at=(-0.3, 0.5, 0.1), velocity=(1, 0, 0))
    b.body("ground", static=True)
    b.particle("bob", mass=0.5, at=(0.0, 0.0, 2.0))
    b.frame("grip", "arm", at=(0.1, 0.2, 0.3), rotation=gk.unit((1.0, 0.0, 0.5, 0.0)))
    b.frame("nail", "world", at=(0.0, 0.0, 3.0))
    return b


def one_of_each():
    """A model with every kind."""
    b = base_and_arm()
    for element in (*JOINTS, *DRIVES):
        b.add(element)
    return b.build()
