"""Tiling and timing of a kernel of 40 cores and 16,384 instructions and transfers, without and with the race check."""

from __future__ import annotations

from bench.benched import ADD, benched, case
from bench.measure import Line, process_cpu_s

from ascendopt.harness.devices.model.arguments import kernel_arguments, tile_fields

ELEMENTS = 4096 * 4096  # 4,096 tiles: two loads, a vector instruction and a store each
ROUNDS = 20


def lines() -> list[Line]:
    wanted = case(ELEMENTS)
    found: list[Line] = []
    with benched(ADD) as (device, built):
        shared = built.kernel(wanted)
        for race, target in ((False, 5), (True, 10)):
            # The device's own requests check races in functional runs only.
            fields = {
                **built._common(wanted, functional=False),
                **built._launch(shared, True),
                **tile_fields(wanted, built.definition),
                "mode": "timing",
                "samples": 0,
                "checks": {"race": race, "strict_v_barrier": False},
                "args": kernel_arguments(wanted, built.definition, None, None),
            }
            answer = device.worker.request("run", fields, 120)
            assert answer["ok"] and answer["latency_us"] > 0, answer
            before = process_cpu_s(device.worker.pid)
            for _ in range(ROUNDS):
                device.worker.request("run", fields, 120)
            spent = 1000 * (process_cpu_s(device.worker.pid) - before) / ROUNDS
            what = f"tile and time 40 cores, {'race check' if race else 'no race check'}"
            note = f"{answer['instructions']} records, {answer['latency_us']:.1f} us"
            found.append(Line(what, spent, "ms CPU", target, True, note))
    return found
