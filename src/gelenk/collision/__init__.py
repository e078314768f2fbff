"""Where shapes touch or come near: broad phase, narrow phase, queries (virtual-worlds 2.2)."""
