"""Shapes, meshes and their mass properties."""
