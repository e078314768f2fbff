"""Stages of contact as methods call them."""

from __future__ import annotations

from gelenk.compile import helper
from gelenk.contact.setup import run_stage
from gelenk.contact.stages import FIND


@helper
def contact_stage(work, masses, state, h, stage):
    """One stage of contact, if the model has any."""
    address = work.contact.address[stage]
    if address == 0:
        return 0
    return run_stage(
        address, work.contact, work.joints, work.memory, masses, state, work.loads, work.bodies, work.rows, h
    )


@helper
def find_contacts(work, masses, state, h):
    """Where bodies touch, and impacts; what is missing to find them is left in the status."""
    work.status[0] = contact_stage(work, masses, state, h, FIND)
    return work.status[0]
