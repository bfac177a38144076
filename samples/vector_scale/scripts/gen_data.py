"""Writes x.bin, the input, and golden.bin, what the program must make of it."""

import numpy as np

x = np.random.default_rng(1).normal(size=50_001).astype(np.float32)
x.tofile("x.bin")
(x * np.float32(2.5)).tofile("golden.bin")
