"""A faster line for one curve, or for a whole track, by search (B-91)."""
