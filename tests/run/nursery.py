"""A process that is warm and makes runs: each line on standard input is a file, each run a forked process to kill.

Forking from here costs a millisecond, so that a test can kill runs at their very first writes.
"""

import os
import sys

import gelenk as gk
from gelenk.run import recorder
from run.models import swarm, tumblers


def model():
    """The tumblers in a swarm: some four hundred numbers a sample."""
    b = gk.Builder.from_model(tumblers())
    for particle in swarm(60).particles:
        b.particle(particle.name, mass=particle.mass, at=particle.at, velocity=particle.velocity)
    return b.build()


def simulation():
    return gk.Simulation(model(), gk.FreeMotion(h=1e-3))


def main():
    recorder.BUFFER_NUMBERS = 1 << 14  # forty samples: the file is written to most of the time
    simulation().run(0.01, progress=False)  # kernels and HDF5 are loaded from here on
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            simulation().run(1e4, output_dt=1e-3, file=line.strip(), progress=False)
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else "ended", flush=True)


if __name__ == "__main__":
    main()
