"""Driving the bobsleigh in the live view: what is seen, heard and felt, and what is timed (B-62 to B-81)."""
