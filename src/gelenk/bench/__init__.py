"""Measure Gelenk beside other engines: same scene, same step, same work, one run."""

from gelenk.bench.command import bench

__all__ = ["bench"]
