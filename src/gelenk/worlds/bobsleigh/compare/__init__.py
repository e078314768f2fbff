"""Simpler models to set the sled against: a particle on the ice, a sled of two hulls (bobsleigh 1.4, 9.6)."""
