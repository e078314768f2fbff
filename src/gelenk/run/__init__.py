"""Runs: recording to one HDF5 file, reading it back, plots and tables."""
