"""What a candidate's text can make the compiler do: read what is not its own, or never end."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from harness.hostile.gate_path import GatePath

from ascendopt.harness.devices.model.toolchain import COMPILE_LIMITS
from ascendopt.harness.evaluation import State

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

SIDES = ("host", "kernel")
BOMBS = {
    # A binary tree of instantiations, 28 levels deep.
    "templates": (
        "template <int N, int M> struct Bomb {"
        " static constexpr long v = Bomb<N - 1, 2 * M>::v + Bomb<N - 1, 2 * M + 1>::v; };"
        "template <int M> struct Bomb<0, M> { static constexpr long v = M; }; long bomb = Bomb<28, 1>::v;"
    ),
    "includes": "#include __FILE__\n#include __FILE__\n",
    "a huge object": "char huge[1 << 29] = {1};",
}


@pytest.fixture
def short_compilations(gates: GatePath) -> Generator[GatePath]:
    """Bounds that hold for every bomb within seconds: 4 s, 512 MB of memory, 32 MB of files."""
    toolchain = gates.device.toolchain
    toolchain.limits = replace(COMPILE_LIMITS, wall_s=20, cpu_s=4, memory_mb=512, file_mb=32)
    yield gates
    toolchain.limits = COMPILE_LIMITS


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", ['#include "{}"', "#include <{}>", '__asm__(".incbin \\"{}\\"");'])
def test_a_secret_is_not_compiled_in(gates: GatePath, secret: Path, side: str, form: str) -> None:
    result = gates.attack(**{f"{side}_globals": form.format(secret)})
    assert result.state is State.COMPILE, result.reason
    assert secret.name in result.reason
    assert "the-secret-text" not in result.reason
    assert gates.honest(f"{side} {len(form)}").ok


def test_a_relative_path_does_not_lead_out(gates: GatePath, secret: Path) -> None:
    climb = "../" * 30 + str(secret).lstrip("/")
    result = gates.attack(kernel_globals=f'#include "{climb}"')
    assert result.state is State.COMPILE
    assert "no file of the operator and its surroundings" in result.reason
    gate = result.gates[-1]
    assert (gate.file, gate.line) == ("op_kernel/twice.cpp", 1)


def test_headers_beside_the_operator_are_readable(gates: GatePath) -> None:
    (gates.operator.parent / "shared").mkdir(exist_ok=True)
    (gates.operator.parent / "shared" / "factor.h").write_text("constexpr int kFactor = 2;\n")
    result = gates.attack(kernel_globals='#include "../../shared/factor.h"\nstatic_assert(kFactor == 2);')
    assert result.ok, result.reason


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_a_compile_bomb_ends(short_compilations: GatePath, side: str, bomb: str) -> None:
    result = short_compilations.attack(**{f"{side}_globals": bomb})
    assert result.state in (State.COMPILE, State.TIMEOUT)
    assert result.reason and len(result.reason) < 2000
    assert result.seconds < 60
    assert short_compilations.honest(f"{side} {len(bomb)}").ok


def test_the_level_is_named(gates: GatePath) -> None:
    named = gates.device.capabilities.sandbox
    assert named.startswith("fork+rlimits")
    assert f"compilers {gates.device.toolchain.sandbox}" in named
