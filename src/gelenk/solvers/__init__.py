"""Solvers of the problems that rows of velocity conditions pose."""
