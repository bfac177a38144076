"""y = x * tanh(ln(1 + e^x)), computed in float64 and cast back."""

import numpy as np


def reference(inputs, attrs):
    x = inputs[0].astype(np.float64)
    return [(x * np.tanh(np.logaddexp(0.0, x))).astype(inputs[0].dtype)]
