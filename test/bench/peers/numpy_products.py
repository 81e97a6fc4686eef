"""One-thread matrix products. Reads lines `rows depth columns transposed`, answers with GFLOP/s, the best of its repeats."""

import sys
import time

import numpy


def measure(rows, depth, columns, transposed):
    a = numpy.random.rand(*((depth, rows) if transposed else (rows, depth))).astype(numpy.float32)
    b = numpy.random.rand(depth, columns).astype(numpy.float32)
    best = 0.0
    end = time.perf_counter() + 0.1
    while time.perf_counter() < end:
        start = time.process_time_ns()
        for _ in range(4):
            (a.T if transposed else a) @ b
        best = max(best, 8 * rows * depth * columns / (time.process_time_ns() - start))
    return best


print(numpy.__version__, flush=True)
for line in sys.stdin:
    print(measure(*map(int, line.split())), flush=True)
