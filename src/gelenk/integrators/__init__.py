"""How a state moves on in time, one scheme a file."""
