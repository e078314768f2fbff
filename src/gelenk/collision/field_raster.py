"""Height fields of a model in one table, with the lowest and highest sample of ever larger blocks of cells (V-21).

Level 0 are the cells themselves, a block of level l is 8^l x 8^l of them, the last level is one block. A query that
does not reach the heights of a block passes over it, so what lies above hills costs no more than what lies above a
plain.

Source: A. Tevs, I. Ihrke, H.-P. Seidel, Maximum mipmaps for fast, accurate, and scalable dynamic height field
rendering (2008), here with both ends and blocks of eight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_count
from gelenk.collision.broad.bounds import Bounds
from gelenk.compile import helper
from gelenk.errors import InputError
from gelenk.geometry.height_field import HeightField, check_above, check_heights

SHIFT = 3  # a block is 2^SHIFT along each axis of those of the level below
SIDE = 1 << SHIFT
END = 64  # above all levels: a walk over blocks is at its end

FIELD_RECORD = np.dtype(
    [
        ("first", "i8"),  # its samples in ``height``; signed, since neighbours are counted from it
        ("nx", "i8"),  # samples along x and y
        ("ny", "i8"),
        ("top", "i8"),  # level that is one block
        ("level_first", "i8"),  # its level 1 in ``level``
        ("dx", "f8"),  # spacing [m]
        ("dy", "f8"),
        ("mid_x", "f8"),  # where the origin is, counted in samples
        ("mid_y", "f8"),
        ("z_base", "f8"),  # no sample is below [m]
    ]
)
LEVEL_RECORD = np.dtype([("first", "i8"), ("rows", "i8"), ("columns", "i8")])  # its blocks in ``low`` and ``high``


class Fields(NamedTuple):
    """Height fields of a model. Sample (i, j) of a field is at  first + i ny + j,  blocks alike."""

    field: np.ndarray  # (f,) FIELD_RECORD
    height: np.ndarray  # (H,) [m]
    level: np.ndarray  # (L,) LEVEL_RECORD, those of a field from level 1 up
    low: np.ndarray  # (B,) lowest sample of each block [m]
    high: np.ndarray  # (B,)


class Cells(NamedTuple):
    """A range of cells, both ends included; empty if a last one is below its first."""

    i: int
    j: int
    i_last: int
    j_last: int


def pack_fields(fields: Sequence[HeightField]) -> Fields:
    """All fields one after the other; ``Solid.table`` is the place in the sequence."""
    shapes = [field.heights.shape for field in fields]
    levels = [_level_shapes(nx, ny) for nx, ny in shapes]
    blocks = sum(rows * columns for shape in levels for rows, columns in shape)
    table = Fields(
        np.zeros(len(fields), FIELD_RECORD).view(np.recarray),
        np.zeros(sum(nx * ny for nx, ny in shapes)),
        np.zeros(sum(map(len, levels)), LEVEL_RECORD).view(np.recarray),
        np.zeros(blocks),
        np.zeros(blocks),
    )
    first = level_first = block_first = 0
    for k, field in enumerate(fields):
        nx, ny = shapes[k]
        top = len(levels[k])
        middle = (0.5 * (nx - 1), 0.5 * (ny - 1))
        table.field[k] = (first, nx, ny, top, level_first, *field.spacing, *middle, field.base)
        for l, (rows, columns) in enumerate(levels[k]):  # noqa: E741  (the level of the text above)
            table.level[level_first + l] = (block_first, rows, columns)
            block_first += rows * columns
        _write(table, k, field.heights, 0, 0)
        first, level_first = first + nx * ny, level_first + top
    return table


def set_heights(fields: Fields, index: int, heights: ArrayLike, corner: tuple[int, int] | None = None) -> None:
    """Give a packed field new heights in place, all of them or a patch (V-21, V-34).

    Parameters
    ----------
    fields : Fields
        Written in place; all or nothing.
    index : int
        Which field.
    heights : (n, m) [m]
        Not below the base that the field was made with.
    corner : (i, j), optional
        Sample at which heights[0, 0] goes, for a patch. Without it the heights are those of the whole raster.
    """
    k = check_count("set_heights()", "index", index, least=0, most=len(fields.field) - 1)
    element = f"height field {k}"
    _, nx, ny, *_, base = fields.field[k].item()
    z = check_heights(element, heights, least=1)
    if corner is None and z.shape != (nx, ny):
        found = f"heights have shape {z.shape}"
        raise InputError(element, found, f"all its {nx} x {ny} samples", "Give corner=(i, j) to set a part of them.")
    i, j = corner if corner is not None else (0, 0)
    i = check_count(element, "corner along x", i, least=0, most=nx - 1)
    j = check_count(element, "corner along y", j, least=0, most=ny - 1)
    if i + z.shape[0] > nx or j + z.shape[1] > ny:
        found = f"heights have shape {z.shape} and begin at sample ({i}, {j})"
        raise InputError(element, found, f"samples within its {nx} x {ny}", "Cut them off, or make a larger field.")
    check_above(element, z, base)
    _write(fields, k, z, i, j)


def _level_shapes(nx: int, ny: int) -> list[tuple[int, int]]:
    """Blocks along x and y of the levels from 1 up."""
    shape = (nx - 1, ny - 1)
    shapes: list[tuple[int, int]] = []
    while not shapes or shape != (1, 1):
        shape = (-(-shape[0] // SIDE), -(-shape[1] // SIDE))
        shapes.append(shape)
    return shapes


def _write(fields: Fields, index: int, z: np.ndarray, i: int, j: int) -> None:
    """Store samples from (i, j) on, and the ends of all blocks that have one of them."""
    first, nx, ny, top, level_first, *_ = fields.field[index].item()
    heights = fields.height[first : first + nx * ny].reshape(nx, ny)
    heights[i : i + z.shape[0], j : j + z.shape[1]] = z
    levels = fields.level[level_first : level_first + top].tolist()
    # cells with one of the samples
    cells = slice(max(i - 1, 0), min(i + z.shape[0], nx - 1)), slice(max(j - 1, 0), min(j + z.shape[1], ny - 1))
    for values, extreme in ((fields.low, np.minimum), (fields.high, np.maximum)):
        x, y = _whole_blocks(cells[0]), _whole_blocks(cells[1])
        samples = heights[x.start : x.stop + 1, y.start : y.stop + 1]
        along_x = extreme(samples[:-1], samples[1:])
        finer = extreme(along_x[:, :-1], along_x[:, 1:])
        for place, rows, columns in levels:
            finer = extreme.reduceat(finer, np.arange(0, finer.shape[0], SIDE), axis=0)
            finer = extreme.reduceat(finer, np.arange(0, finer.shape[1], SIDE), axis=1)
            blocks = values[place : place + rows * columns].reshape(rows, columns)
            x, y = (slice(w.start // SIDE, w.start // SIDE + n) for w, n in zip((x, y), finer.shape))
            blocks[x, y] = finer
            x, y = _whole_blocks(x), _whole_blocks(y)
            finer = blocks[x, y]


def _whole_blocks(part: slice) -> slice:
    """A range widened to whole blocks of the next level; beyond the last one if that is not full."""
    return slice(part.start // SIDE * SIDE, -(-part.stop // SIDE) * SIDE)


@helper
def height_of(fields, field, i, j):
    """Sample (i, j) [m]."""
    return fields.height[field.first + i * field.ny + j]


@helper
def triangle_of(field, i, j, k):
    """Number of triangle k of cell (i, j)."""
    return 2 * (i * (field.ny - 1) + j) + k


@helper
def cell_at(u, samples):
    """Cell along one axis at a place counted in samples, the first or last one beyond the rim; the first for nan."""
    if not u > 0.0:
        return 0
    return math.floor(u) if u < samples - 2.0 else samples - 2


@helper
def cell_of(x, middle, spacing, samples):
    """Cell along one axis at a coordinate."""
    return cell_at(x / spacing + middle, samples)


@helper
def cells_along(low, high, middle, spacing, samples):
    """First and last cell along one axis that have a place from low to high, borders included.

    The quotient may round to the wrong side of a border; the borders themselves, (i - middle) spacing, decide.
    """
    i, i_last = cell_of(low, middle, spacing, samples), cell_of(high, middle, spacing, samples)
    while i > 0 and (i - middle) * spacing >= low:
        i -= 1
    while i < samples - 1 and (i + 1 - middle) * spacing < low:
        i += 1
    while i_last < samples - 2 and (i_last + 1 - middle) * spacing <= high:
        i_last += 1
    while i_last >= 0 and (i_last - middle) * spacing > high:
        i_last -= 1
    return i, i_last


@helper
def cells_in(field, x, x_high, y, y_high):
    """Cells that meet a rectangle."""
    i, i_last = cells_along(x, x_high, field.mid_x, field.dx, field.nx)
    j, j_last = cells_along(y, y_high, field.mid_y, field.dy, field.ny)
    return Cells(i, j, i_last, j_last)


@helper
def block_bounds(fields, field, level, i, j):
    """Box of a block; of a cell on level 0."""
    shift = SHIFT * level
    if level == 0:
        p, q = height_of(fields, field, i, j), height_of(fields, field, i + 1, j)
        r, s = height_of(fields, field, i + 1, j + 1), height_of(fields, field, i, j + 1)
        low, high = min(min(p, q), min(r, s)), max(max(p, q), max(r, s))
    else:
        levels = fields.level[field.level_first + level - 1]
        place = levels.first + i * levels.columns + j
        low, high = fields.low[place], fields.high[place]
    return Bounds(
        ((i << shift) - field.mid_x) * field.dx,
        ((j << shift) - field.mid_y) * field.dy,
        low,
        (min((i + 1) << shift, field.nx - 1) - field.mid_x) * field.dx,
        (min((j + 1) << shift, field.ny - 1) - field.mid_y) * field.dy,
        high,
    )


@helper
def is_empty(cells):
    """Whether a range has no cell."""
    return cells.i > cells.i_last or cells.j > cells.j_last


@helper
def holding_block(cells):
    """Smallest block that holds all cells of a range: a walk starts there. Level END if there are none."""
    level, shift = 0, 0
    if is_empty(cells):
        return END, cells.i, cells.j
    while (cells.i >> shift) != (cells.i_last >> shift) or (cells.j >> shift) != (cells.j_last >> shift):
        level, shift = level + 1, shift + SHIFT
    return level, cells.i >> shift, cells.j >> shift


@helper
def first_below(level, i, j, cells):
    """First block one level below a block, among those with some of the cells."""
    shift = SHIFT * (level - 1)
    return level - 1, max(i << SHIFT, cells.i >> shift), max(j << SHIFT, cells.j >> shift)


@helper
def next_block(level, i, j, cells):
    """Block that follows when all in this one is done: the next one in the block above, or a level up the next there.

    END for the level when there is none.
    """
    shift = SHIFT * level
    while True:
        if j < min(j | (SIDE - 1), cells.j_last >> shift):
            return level, i, j + 1
        if i < min(i | (SIDE - 1), cells.i_last >> shift):
            return level, i + 1, max(j & ~(SIDE - 1), cells.j >> shift)
        level, i, j, shift = level + 1, i >> SHIFT, j >> SHIFT, shift + SHIFT
        if (cells.i >> shift) == (cells.i_last >> shift) and (cells.j >> shift) == (cells.j_last >> shift):
            return END, i, j
