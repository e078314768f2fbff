"""Vectors, quaternions, rotations, spatial transforms and small dense solves."""
