"""How a model moves: one file a method."""
