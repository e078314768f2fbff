"""Where a page looks from, said in Python or on the command line.

    "front"                     a side: front, back, right, left, top, bottom; the whole scene in the picture
    "4,-3,2:0,0,0.5"            the eye and what it looks at [m]
    "follow:ball"               goes along with a body; "follow:ball:2,-3,1" from there, seen from the body [m]
    "fixed:car:-6,0,2"          goes and turns along with it

In Python also ``((4, -3, 2), (0, 0, 0.5))``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from gelenk.checks import Vector, check_vector, unknown
from gelenk.errors import InputError
from gelenk.view.to_page import Look

SIDES: dict[str, Vector] = {
    "front": (0.0, -1.0, 0.0), "back": (0.0, 1.0, 0.0), "right": (1.0, 0.0, 0.0), "left": (-1.0, 0.0, 0.0),
    "top": (0.0, 0.0, 1.0), "bottom": (0.0, 0.0, -1.0),
}  # fmt: skip
ALLOWED = f"{', '.join(SIDES)}, eye:target as x,y,z:x,y,z, follow:body or fixed:body"
ORIGIN: Vector = (0.0, 0.0, 0.0)
USUAL: Vector = (0.454, -0.792, 0.408)  # from the scene to the eye


def read_camera(
    camera: Any, bodies: Iterable[str] | None = None, *, element: str = "view", declared: Iterable[str] = ()
) -> Look | None:
    """What a page is told of a camera, without a number; None for the usual one.

    Bodies are those that there are, and ``declared`` the names of cameras of a world.
    """
    if camera is None or (isinstance(camera, str) and camera == ""):
        return None
    if not isinstance(camera, str):
        return _from_points(camera, element)
    names = list(declared)
    if camera in names:
        return Look(0, rig=camera)
    if camera in SIDES:
        return Look(0, toward=SIDES[camera])
    how, _, rest = camera.partition(":")
    if how in ("follow", "fixed") and rest:
        return _from_body(how == "fixed", rest, bodies, element)
    eye, _, target = camera.partition(":")
    a, b = _point(eye), _point(target or "0,0,0")
    if a is None or b is None or a == b:
        raise InputError(element, f"camera is {camera!r}"[:100], ", ".join([*names, ALLOWED]), "Try 4,-3,2:0,0,0.")
    return Look(0, eye=a, target=b)


def _from_points(camera: Any, element: str) -> Look:
    try:
        eye, target = camera
    except (TypeError, ValueError):
        raise InputError(element, f"camera is {camera!r}"[:100], f"two points, or {ALLOWED}", "Try 'front'.") from None
    a, b = (
        check_vector(element, "eye of the camera", eye, "m"),
        check_vector(element, "target of the camera", target, "m"),
    )
    if a == b:
        raise InputError(element, "the eye of the camera is at its target", "two different points", "Move one of them.")
    return Look(0, eye=a, target=b)


def _from_body(fixed: bool, rest: str, bodies: Iterable[str] | None, element: str) -> Look:
    known = None if bodies is None else list(bodies)
    name, _, last = rest.rpartition(":")
    eye = _point(last) if name else None
    body = name if eye is not None else rest
    if known is not None and body not in known:
        raise unknown(element, "body of the camera", body, known)
    if eye == ORIGIN:
        raise InputError(element, "the eye of the camera is in the middle of the body", "a point beside it", "Move it.")
    return Look(0, eye=eye, body=body, fixed=fixed)


def _point(text: str) -> Vector | None:
    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        return None
    return (x, y, z) if all(map(math.isfinite, (x, y, z))) else None


def direction(look: Look | None, axes: Callable[[str], Any] | None = None) -> Vector | None:
    """From the scene to the eye, for pictures that are drawn without perspective; None for the usual one.

    ``axes`` gives the rotation matrix (3, 3) of a body, body to world, by its name: a camera that is fixed to a body
    turns along with it.
    """
    if look is None or (look.eye is None and not look.fixed):
        return None if look is None else look.toward
    x, y, z = USUAL if look.eye is None else (a - b for a, b in zip(look.eye, look.target or ORIGIN))
    if look.fixed and axes is not None:
        x, y, z = (float(row @ (x, y, z)) for row in axes(look.body))
    return x, y, z
