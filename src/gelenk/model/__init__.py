"""What exists: the builder, the immutable model, and scene files."""
