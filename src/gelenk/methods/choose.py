"""Which method moves a model, and whether it is one."""

from __future__ import annotations

from typing import Any

from gelenk.contact.setup import can_touch, is_mechanism
from gelenk.errors import InputError
from gelenk.methods.free import FreeMotion
from gelenk.methods.impulse import Impulse
from gelenk.methods.method import Method
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.model import Model


def default_method(model: Model) -> Method:
    """The method of a simulation that names none.

    :class:`RowStepping` for a model in which shapes can meet, other than those of one mechanism by itself. Else
    :class:`Impulse` for one with joints: order 2, joints closed to 1e-9 m, in linear time for trees, and it takes
    loops, limits and motors as well. Else :class:`FreeMotion`: Runge-Kutta, order 4.
    """
    if can_touch(model) and not is_mechanism(model):
        return RowStepping()
    return Impulse() if model.joints else FreeMotion()


def check_method(method: Any) -> None:
    """Refuse what is no method: a class, a solver, an integrator."""
    if hasattr(method, "begin") and hasattr(method, "h") and not isinstance(method, type):
        return
    remedy = "An integrator goes into gk.FreeMotion(...)."
    if isinstance(method, type):
        remedy = f"Write gk.{method.__name__}()."
    allowed = "a method such as gk.Impulse(), gk.RowStepping() or gk.FreeMotion()"
    raise InputError("Simulation", f"method is {method!r}"[:100], allowed, remedy)
