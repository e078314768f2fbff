"""Joints, motors and gears: what a user adds to a builder, wired into rows over coordinates."""
