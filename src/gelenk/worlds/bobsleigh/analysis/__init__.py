"""What runs down a track tell: split times, statistics, driving lines, steering moment (bobsleigh 6 and 7)."""
