"""One file a pair of shapes."""
