"""Compares y.bin with golden.bin; exit code 1 where they differ."""

import sys

import numpy as np

output, golden = np.fromfile("y.bin", np.float32), np.fromfile("golden.bin", np.float32)
if output.shape != golden.shape:
    sys.exit(f"{output.size} values, expected {golden.size}")
wrong = np.flatnonzero(output != golden)
if wrong.size:
    at = wrong[0]
    sys.exit(f"{wrong.size} of {golden.size} values differ, the first at {at}: {output[at]}, expected {golden[at]}")
sys.stdout.write("test pass\n")
