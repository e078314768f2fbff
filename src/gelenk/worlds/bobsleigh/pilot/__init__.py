"""Runs without a person: a pilot that follows a line by feedback, and faster lines (B-90, B-91, bobsleigh 9.7)."""
