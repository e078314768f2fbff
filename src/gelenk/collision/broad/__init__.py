"""One file a broad phase."""
