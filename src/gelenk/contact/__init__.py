"""Contact: from points where bodies touch to impulses (virtual-worlds 2.7, impulse-dynamics 2.10)."""
