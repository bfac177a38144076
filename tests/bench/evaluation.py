"""Attempts of a tiling search: host code run with other numbers, and the kernel timed with what it says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from bench.measure import Line, process_cpu_s

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure, SlottedHost, TilingResult
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.search.space import TilingSpace
from ascendopt.harness.search.tunables import find_tunables
from ascendopt.harness.target import Target, open_target

SAMPLE = Path("samples/scaled_add")
TILES = (1536, 2048, 3072, 4096)
CORES = (512, 1024, 2048, 4096, 6144)
ROUNDS = 10
BATCH = 40


def lines() -> list[Line]:
    target = open_target(SAMPLE, None, None)
    case = target.workload.cases[0]
    device = ModelDevice(target.soc)
    try:
        with Scratch(target.sources) as scratch:
            options = BuildOptions(target.soc)
            built = [device.build_slotted(slotted, options) for slotted in _numbers(target, scratch)]
            programs = [program for program in built if program is not None]
            assert len(programs) == len(TILES) * len(CORES)
            for program in programs:
                program.profile(case)
            pid = device.worker.pid
            assert pid is not None
            before = process_cpu_s(pid)
            for program in programs * ROUNDS:
                program.profile(case)
            middle = process_cpu_s(pid)
            for start in range(0, len(programs) * ROUNDS, BATCH):
                some = [programs[index % len(programs)] for index in range(start, start + BATCH)]
                results = _together(some, case_of=target)
                assert len(results) == len(some)
                assert not any(isinstance(result, DeviceFailure) for result in results)
            after = process_cpu_s(pid)
    finally:
        device.close()
    count = len(programs) * ROUNDS
    return [
        Line("tiling attempts, one a request", count / (middle - before), "1/s of a core", 80, False),
        Line(f"tiling attempts, timed {BATCH} a request", count / (after - middle), "1/s of a core", 200, False),
    ]


def _together(programs: list[ModelBuilt], case_of: Target) -> list[object]:
    """All tiled in one process, which loads the host code with the numbers of each, and timed in another."""
    case = case_of.workload.cases[0]
    tilings = programs[0].tilings_of(case, programs)
    return list(programs[0].profile_many([(case, tiling) for tiling in tilings if isinstance(tiling, TilingResult)]))


def _numbers(target: Target, scratch: Scratch) -> Iterator[SlottedHost]:
    space = TilingSpace(target.sources.texts, find_tunables(target.sources.texts))
    names = [tunable.name for tunable in space.tunables]
    for tile, cores in product(TILES, CORES):
        genes = list(space.original)
        for name, value in (("TILE_LENGTH", tile), ("MIN_CORE_LENGTH", cores)):
            genes[names.index(name)] = space.tunables[names.index(name)].domain.index(value)
        template = space.candidate(tuple(genes), "bench").template
        assert template is not None
        yield SlottedHost(scratch.materialise_shared(template.files), template.values)
