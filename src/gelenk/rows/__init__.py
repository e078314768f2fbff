"""Conditions on velocities and the impulses that answer them."""
