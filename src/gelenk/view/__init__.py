"""The live view: one page in the browser to watch and steer a simulation."""
