"""Shared set-up: closed forms in tests/exact import as `exact`, hypothesis is repeatable."""

from hypothesis import settings

settings.register_profile("gelenk", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("gelenk")
