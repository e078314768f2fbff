"""Contacts of a step as arrays.

A contact is one point of two bodies a and b with the unit normal n from a to b and the signed distance d. Its velocity
is that of b against a at one common point, where its impulse acts on both, so that momentum and angular momentum are
kept (:mod:`gelenk.contact.meeting` tells which point that is when the surfaces are still apart):

    u = v_b + w_b x r_b - v_a - w_a x r_a         dV = M^-1 J^T p,      J J' -> K, the 3 x 3 matrix of the point

Impulse and velocity are counted along n and two tangents t and n x t (V-83, V-84).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.contact.heaps import ROOM, Heaps, new_heaps
from gelenk.contact.lanes import ContactLanes, new_lanes
from gelenk.contact.skyline import Skyline, new_skyline
from gelenk.rows.block import records

STICKS, SLIDES = 0, 1
PAIRS_OF_ROW = 6  # of its bodies, at most

CONTACT = np.dtype(  # eight lines of the cache, each with what is needed at the same time
    [
        ("a", "u4"),  # nodes
        ("b", "u4"),
        ("state", "u4"),  # STICKS or SLIDES
        ("pair", "u4"),  # of the present pairs of the space
        ("hit", "u4"),  # 1 if it had an impact in this step
        ("known", "u4"),  # its place in what the last step left, or NONE
        ("bounces", "u4"),  # 1 if it has a coefficient of restitution
        ("balls", "u4"),  # which of its shapes are balls, see gelenk.contact.meeting
        ("p", "f8", (3,)),  # impulse along n, t, n x t [N s]
        ("d", "f8"),  # signed distance at the start of the step [m]
        # second line
        ("n", "f8", (3,)),  # unit normal from a to b
        ("t", "f8", (3,)),  # first tangent; the second is n x t
        ("soft", "f8"),  # c/h of the normal row [1/kg]
        ("before", "f8"),  # p_n when the solver began
        # third
        ("r_a", "f8", (3,)),  # centre of mass to the point, world axes [m]
        ("r_b", "f8", (3,)),
        ("along", "f8"),  # coefficients of friction now, along t and across it
        ("across", "f8"),
        # fourth
        ("K", "f8", (6,)),  # of the point along n, t, n x t: nn, nt, ns, tt, ts, ss [1/kg]
        ("top", "f8"),  # larger eigenvalue of its tangent part
        ("least", "f8"),  # p_n is not below it [N s]
        # fifth
        ("ask", "f8", (3,)),  # change of velocity that is asked for [m/s]
        ("start", "f8", (3,)),  # impulse that the step begins with
        ("law", "u4", (2,)),  # row and column in the table of laws
        ("feature_a", "u4"),
        ("feature_b", "u4"),
        # sixth
        ("x", "f8", (3,)),  # the point at the start of the step, world [m]
        ("radius", "f8", (2,)),  # of the balls [m]
        ("when", "f8"),  # time within the step that the arms belong to [s]
        ("collider_a", "u4"),
        ("collider_b", "u4"),
        ("mode", "u4"),  # see gelenk.contact.newton
        ("set", "u4"),  # kind of its friction set, see gelenk.contact.reservoir
        # seventh
        ("spare_p", "f8", (3,)),  # put by during impacts
        ("goal", "f8", (3,)),  # of Newton's method
        ("ahead", "f8"),  # signed distance at the end of a flight, see gelenk.contact.halves
        ("straight", "f8"),  # of a runner: mu_r, mu_b without load, and the impulse of full load in a step [N s]
        # eighth
        ("last", "f8", (3,)),  # impulse before a sweep
        ("trend", "f8", (3,)),  # direction in which sweeps lead
        ("across_min", "f8"),
        ("full", "f8"),
    ]
)
TURN = np.dtype(  # couples of a contact, see gelenk.contact.turn
    [
        ("on", "u4"),  # 1 if the contact carries couples
        ("spare", "u4"),
        ("rolling", "f8"),  # arms [m]
        ("torsional", "f8"),
        ("G", "f8", (6,)),  # of relative angular velocity: nn, nt, ns, tt, ts, ss [1/(kg m^2)]
        ("top", "f8"),  # larger eigenvalue of its tangent part
        ("p", "f8", (3,)),  # couple along n, t, n x t [N m s]
        ("spare_p", "f8", (3,)),
        ("start", "f8", (3,)),
        ("last", "f8", (3,)),
        ("trend", "f8", (3,)),
        ("ask", "f8", (3,)),  # change of angular velocity that is asked for [rad/s]
    ]
)
ARMS = np.dtype(  # r_a and r_b of the last step, and what they change by in this one, see gelenk.contact.halves
    [("a", "f8", (3,)), ("b", "f8", (3,)), ("change_a", "f8", (3,)), ("change_b", "f8", (3,))]
)
KEPT = np.dtype(  # what a contact leaves to the next step
    [
        ("feature_a", "u4"),
        ("feature_b", "u4"),
        ("state", "u4"),
        ("taken", "u4"),  # 1 if a contact of this step begins with it
        ("arm", "f8", (3,)),  # centre of a moving body to the point, world axes [m]
        ("force", "f8", (3,)),  # impulse over the length of the step, world axes [N]
        ("couple", "f8", (3,)),  # [N m]
    ]
)
SLOT = np.dtype(  # whose contacts of which step are where in ``kept``
    [("a", "u4"), ("b", "u4"), ("first", "u4"), ("count", "u4"), ("step", "i8")]
)

# numbers; see gelenk.contact.report for what they count
COUNT, STEP, IMPACTS, ROUNDS, LEFT, FED, SWEEPS, UNSOLVED, TURNS, CONVERGED, FAR_OFF, DROPPED, WEAKENED = range(13)
NUMBERS = 13
STRUCK = 8  # numbers of what struck a contact
TEAM = 18  # numbers of a team


class ContactSet(NamedTuple):
    """All contacts of a step, what the last one left, and scratch."""

    contact: np.ndarray  # (capacity,) CONTACT
    ends: np.ndarray  # (capacity, 2) uint32 their nodes a and b, close together for those who read nothing else
    turn: np.ndarray  # (capacity,) TURN
    arms: np.ndarray  # (capacity,) ARMS
    kept: np.ndarray  # (capacity,) KEPT
    struck: np.ndarray  # (capacity, STRUCK) impulse of impacts on b, world axes [N s], speed [m/s] and time of the
    # first [s], and in trees their couple on b [N m s]
    slot: np.ndarray  # (pairs,) SLOT, at the slots of the pairs of the space
    law: np.ndarray  # (m, m) LAW, see gelenk.model.contact_law
    grain: np.ndarray  # (m, 3) direction of the grain of each material, axes of the part
    material: np.ndarray  # (colliders,) uint32
    shift: np.ndarray  # (n, 6) way beside that of the velocities [m], [rad], world axes
    push: np.ndarray  # (n, 6) speed with which overlaps are taken out; it is no velocity of the bodies [m/s], [rad/s]
    load: np.ndarray  # (n, 6) acceleration by forces alone [m/s^2], [rad/s^2]
    speed: np.ndarray  # (n,) at the start of the step [m/s]
    clock: np.ndarray  # (n, 2) time of the last impact of a body, time of its next one [s]
    time: np.ndarray  # (capacity,) of the next impact of a contact, or infinite [s]
    trend: np.ndarray  # (n, 6) what the trend of the impulses does to the velocities
    last: np.ndarray  # (n, 6) changes of velocity before a sweep
    inertia: np.ndarray  # (n, 3, 3) world axes [kg m^2], of the bodies that polish needs
    row_mode: np.ndarray  # (rows,) uint32 see gelenk.contact.newton_rows
    row_goal: np.ndarray  # (rows,)
    row_last: np.ndarray  # (rows,)
    sky: Skyline
    heaps: Heaps
    lanes: ContactLanes
    team: np.ndarray  # int64 see gelenk.contact.teams
    tied: np.ndarray  # (n,) uint32 1 for nodes at joints
    touched: np.ndarray  # (n,) uint32 1 if a contact or joint pushes the node in this step
    number: np.ndarray  # (NUMBERS,) int64
    figures: np.ndarray  # (5,) energy that impacts took [J], energy they fed, deepest overlap [m], residual [m/s], and
    # the length of the last step [s]
    options: np.ndarray  # (12,) see gelenk.contact.options


def new_contacts(
    capacity: int,
    pairs: int,
    nodes: int,
    rows: int,
    law: np.ndarray,
    grain: np.ndarray,
    material: np.ndarray,
    options: np.ndarray,
    blocks: int = ROOM,
) -> ContactSet:
    """Space for so many contacts of so many pairs, rows of joints beside them, and blocks of factors for each node."""
    return ContactSet(
        records(CONTACT, capacity),
        np.zeros((capacity, 2), np.uint32),
        records(TURN, capacity),
        records(ARMS, capacity),
        np.zeros(capacity, KEPT).view(np.recarray),
        np.zeros((capacity, STRUCK)),
        np.zeros(pairs, SLOT).view(np.recarray),
        law,
        grain,
        material,
        np.zeros((nodes, 6)),
        np.zeros((nodes, 6)),
        np.zeros((nodes, 6)),
        np.zeros(nodes),
        np.zeros((nodes, 2)),
        np.zeros(capacity),
        np.zeros((nodes, 6)),
        np.zeros((nodes, 6)),
        np.zeros((nodes, 3, 3)),
        np.zeros(rows, np.uint32),
        np.zeros(rows),
        np.zeros(rows),
        new_skyline(nodes, blocks * nodes, capacity + PAIRS_OF_ROW * rows),
        new_heaps(nodes, capacity, rows),
        new_lanes(capacity, nodes),
        np.zeros(TEAM, np.int64),
        np.zeros(nodes, np.uint32),
        np.zeros(nodes, np.uint32),
        started(),
        np.zeros(5),
        options,
    )


def started() -> np.ndarray:
    """Numbers before the first step."""
    number = np.zeros(NUMBERS, np.int64)
    number[CONVERGED] = 1
    return number


def enlarged(contacts: ContactSet, capacity: int, pairs: int) -> ContactSet:
    """The same with room for more; what the last step left is kept."""
    edges = max(capacity, len(contacts.time)) + PAIRS_OF_ROW * len(contacts.row_goal)
    new = contacts._replace(
        contact=records(CONTACT, max(capacity, len(contacts.contact))),
        ends=np.zeros((max(capacity, len(contacts.contact)), 2), np.uint32),
        turn=records(TURN, max(capacity, len(contacts.contact))),
        arms=records(ARMS, max(capacity, len(contacts.kept))),
        kept=np.zeros(max(capacity, len(contacts.kept)), KEPT).view(np.recarray),
        struck=np.zeros((max(capacity, len(contacts.contact)), STRUCK)),
        slot=np.zeros(max(pairs, len(contacts.slot)), SLOT).view(np.recarray),
        time=np.zeros(max(capacity, len(contacts.time))),
        sky=new_skyline(len(contacts.shift), len(contacts.sky.block), edges),
        heaps=new_heaps(len(contacts.shift), max(capacity, len(contacts.contact)), len(contacts.row_goal)),
        lanes=new_lanes(max(capacity, len(contacts.contact)), len(contacts.shift)),
    )
    new.arms[: len(contacts.arms)] = contacts.arms
    new.kept[: len(contacts.kept)], new.slot[: len(contacts.slot)] = contacts.kept, contacts.slot
    return new
