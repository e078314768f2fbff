"""Frames: where everything is at one time, as one block of bytes for all bodies.

Little endian:

    magic u32, sequence u32, time f64 [s], count u32, flags u16, scene u16      24 bytes
    count times  position 3 f32 [m], quaternion w x y z 4 f32                   28 bytes a node
    sections:    type u32, length u32 [bytes], payload, padded to four bytes

Rows are the nodes of the model: the world, all bodies, all particles; positions are those of the body frames. ``scene``
is the number of the scene they belong to. A reader skips sections of a type it does not know.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gelenk.model.model import Model
from gelenk.state import State

MAGIC = 0x314B4C47  # "GLK1"
HEAD = struct.Struct("<IIdIHH")
SECTION = struct.Struct("<II")
ROW = 7  # float32 numbers a node

# flags
PLAYING = 1

# types of sections
CONTACTS = 1  # 6 f32 a contact: point, force on the second of two, or on the one that moves, world axes [m, N]
SURFACE = 2  # u32 number among the skins of the scene, then 3 f32 a vertex [m]
COLOURS = 3  # u32 what they tell, a place in COLOURINGS, 2 f32 ends of the scale, then u8 red, green, blue a node
LINES = 4  # u32 number among the strokes of the scene, then 6 f32 a line: both ends [m]
GHOST = 5  # u32 number of the ghost from 1, then 7 f32 a node of it, as the rows of the frame

COLOURINGS = ("load", "cluster", "sleeping", "speed")
COLOURS_HEAD = struct.Struct("<Iff")  # ends are both 0 where there is no scale; [N] of a load, [m/s] of a speed


class Section(NamedTuple):
    """Something beside the poses."""

    kind: int
    payload: bytes


class FramePacker:
    """Packs the state of one model; its table is made once."""

    def __init__(self, model: Model) -> None:
        self.bodies = len(model.bodies) + 1
        self._com = np.array([(0.0, 0.0, 0.0), *(body.com for body in model.bodies)])
        self._off = np.flatnonzero(np.any(self._com != 0.0, axis=1))  # bodies whose frame is not at the centre of mass
        self._com = self._com[self._off]
        self._table = np.zeros((model.nodes.count, ROW), dtype="<f4")
        self._table[:, 3] = 1.0

    def poses(self, state: State) -> np.ndarray:
        """(nodes, 7) positions and quaternions of the body frames; the next call writes over it."""
        table = self._table
        table[:, :3] = state.p_WC
        table[: self.bodies, 3:] = state.q_WB
        if len(self._off):
            q = state.q_WB[self._off]
            table[self._off, :3] = state.p_WC[self._off] - rotated(q, self._com)
        return table

    def pack(
        self,
        state: State,
        time: float,
        sequence: int,
        *,
        flags: int = 0,
        scene: int = 0,
        sections: Iterable[Section] = (),
    ) -> bytes:
        """The frame of a state."""
        return pack_poses(self.poses(state), time, sequence, flags=flags, scene=scene, sections=sections)


def pack_poses(
    poses: np.ndarray,
    time: float,
    sequence: int,
    *,
    flags: int = 0,
    scene: int = 0,
    sections: Iterable[Section] = (),
) -> bytes:
    """The frame of a table (nodes, 7) of positions and quaternions of the body frames."""
    head = HEAD.pack(MAGIC, sequence & 0xFFFFFFFF, time, len(poses), flags, scene & 0xFFFF)
    parts = [head, np.ascontiguousarray(poses, dtype="<f4").tobytes()]
    for kind, payload in sections:
        parts += [SECTION.pack(kind, len(payload)), payload, bytes(-len(payload) % 4)]
    return b"".join(parts)


def rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(n, 3) vectors turned by unit quaternions w x y z:  v + 2 u x (u x v + w v)."""
    u, w = q[:, 1:], q[:, :1]
    turned: np.ndarray = v + 2.0 * np.cross(u, np.cross(u, v) + w * v)
    return turned


class Frame(NamedTuple):
    """A frame that was read."""

    sequence: int
    time: float
    flags: int
    scene: int
    poses: np.ndarray  # (count, 7) float32
    sections: tuple[Section, ...]


def read_frame(data: bytes) -> Frame:
    """A frame taken apart again, for tests and for pages that are not in a browser."""
    magic, sequence, time, count, flags, scene = HEAD.unpack_from(data)
    if magic != MAGIC:
        raise ValueError("no frame: the first four bytes are others")
    place = HEAD.size + 4 * ROW * count
    poses = np.frombuffer(data[HEAD.size : place], dtype="<f4").reshape(count, ROW)
    sections = []
    while place < len(data):
        kind, length = SECTION.unpack_from(data, place)
        place += SECTION.size
        sections.append(Section(kind, data[place : place + length]))
        place += length + (-length % 4)
    return Frame(sequence, time, flags, scene, poses, tuple(sections))
