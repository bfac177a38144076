"""Builds the vector library once; later sessions with the same sources find it again."""

from __future__ import annotations

import getpass
import tempfile
from pathlib import Path

import pytest
from harness.model.ops.vector_device import VectorDevice, build_library


@pytest.fixture(scope="session")
def vector_library() -> Path:
    cache = Path(tempfile.gettempdir()) / f"ascendopt-vector-tests-{getpass.getuser()}"
    cache.mkdir(mode=0o700, exist_ok=True)
    return build_library(cache)


@pytest.fixture
def device(vector_library: Path) -> VectorDevice:
    return VectorDevice(vector_library)
