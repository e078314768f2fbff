"""The ice track: from construction data in text files to the surfaces that a sled runs on (B-34 to B-49).

The source draws the world with y up and drives along -z at the start; here z is up:

    (x, y, z) of the source  ->  (x, -z, y)

so a sled starts along +y with x to its right, and a heading grows to the left, about z.
"""

from gelenk.worlds.bobsleigh.track.read import load_track, track_names
from gelenk.worlds.bobsleigh.track.track import Track

__all__ = ["Track", "load_track", "track_names"]
