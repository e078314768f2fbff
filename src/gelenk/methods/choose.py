"""Which method moves a model, and whether it is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gelenk.contact.segment_block import segment_elements
from gelenk.contact.setup import can_touch, is_mechanism
from gelenk.contact.tree_stops import bouncing_stops
from gelenk.errors import InputError
from gelenk.methods.free import FreeMotion
from gelenk.methods.impulse import Impulse
from gelenk.methods.method import Method
from gelenk.methods.moreau_tree import MoreauTree, is_plain_tree
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.model import Model

FOR_JOINTS = (Impulse, MoreauTree)  # both take all joints, loops, limits and motors


def default_method(model: Model) -> Method:
    """The method of a simulation that names none.

    :class:`MoreauTree` for one with segment contacts, or with limits that give speed back.
    :class:`RowStepping` for a model in which shapes can meet, other than those of one mechanism by itself. Else
    :class:`MoreauTree` for a tree of joints and forces alone: order 4, joints exact. Else :class:`Impulse` for one with
    joints: order 2, joints closed to 1e-9 m, with loops, limits and motors. Else :class:`FreeMotion`: Runge-Kutta,
    order 4.
    """
    if segment_elements(model):
        return MoreauTree()
    if bouncing_stops(model.wired.joints):
        return MoreauTree(cut="auto")
    if can_touch(model) and not is_mechanism(model):
        return RowStepping()
    if not model.joints:
        return FreeMotion()
    return MoreauTree() if is_plain_tree(model) else Impulse()


def method_after(method: Method, before: Model, after: Model) -> Method:
    """The method of a simulation whose model was changed: the same, or the one that is chosen for the new model.

    It is chosen anew where it is what the old model would have got, and one of the two is not for joints alone: for
    these a simulation goes on as it began.
    """
    usual = default_method(before)
    if type(method) is not type(usual) or method != replace(usual, h=method.h):  # type: ignore[type-var]
        return method
    anew = default_method(after)
    if isinstance(method, FOR_JOINTS) and isinstance(anew, FOR_JOINTS):
        return method
    return replace(anew, h=method.h)  # type: ignore[type-var]


def check_segments(method: Method, model: Model) -> None:
    """Refuse a method that would pass over segment contacts."""
    elements = segment_elements(model)
    if elements and not isinstance(method, MoreauTree):
        found = f"the method {method.kind!r}, which does not carry them"
        raise InputError(elements[0].label, found, "gk.MoreauTree()", "Use it, or remove the segment contacts.")


def check_stops(method: Method, model: Model) -> None:
    """Refuse a method that would pass over the restitution of limits."""
    if bouncing_stops(model.wired.joints) and not isinstance(method, MoreauTree):
        joint = next(joint for joint in model.joints if getattr(joint, "stop_restitution", 0.0) > 0.0)
        found = f"stop_restitution is {joint.stop_restitution:g}, and the method is {method.kind!r}"
        remedy = "Use it, or leave stop_restitution out."
        raise InputError(joint.label, found, "gk.MoreauTree(), which knows impacts at limits", remedy)


def check_method(method: Any) -> None:
    """Refuse what is no method: a class, a solver, an integrator."""
    if hasattr(method, "begin") and hasattr(method, "h") and not isinstance(method, type):
        return
    remedy = "An integrator goes into gk.FreeMotion(...)."
    if isinstance(method, type):
        remedy = f"Write gk.{method.__name__}()."
    allowed = "a method such as gk.MoreauTree(), gk.Impulse(), gk.RowStepping() or gk.FreeMotion()"
    raise InputError("Simulation", f"method is {method!r}"[:100], allowed, remedy)
