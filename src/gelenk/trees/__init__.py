"""Trees of bodies in minimal coordinates: kinematics, and the equations of motion in linear time."""
