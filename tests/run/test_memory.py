"""Long runs stream to disk in constant memory."""

import sys

import pytest

from run.processes import finish, start

MEASURE = """
import sys
from run.models import started, swarm

samples, path = int(sys.argv[1]), sys.argv[2]
sim = started(swarm(50))
sim.run(samples * 1e-3, output_dt=1e-3, file=path, progress=False).close()
# The peak of this program alone; getrusage would also count the process that started it.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
FEW, MANY = 4_000, 24_000  # the buffer holds 3246 samples of this model: both runs fill it


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_six_times_the_samples_take_the_same_memory(tmp_path):
    paths = [tmp_path / "few.h5", tmp_path / "many.h5"]
    processes = [start(MEASURE, n, path) for n, path in zip((FEW, MANY), paths)]
    peaks = []
    for process in processes:
        code, out, err = finish(process)
        assert code == 0, err
        peaks.append(int(out) * 1024)
    few, many = (path.stat().st_size for path in paths)
    assert many - few > 20_000 * 300 * 8  # 300 numbers of particles a sample: 48 MB
    # A tenth of what is written; from run to run the peak varies by a megabyte or so of the allocator.
    assert peaks[1] - peaks[0] < 5e6
