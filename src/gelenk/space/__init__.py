"""Models in space: contacts, collision events, and questions such as what a ray hits."""
