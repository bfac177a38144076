"""Kernels may call the AscendC API alone, by name; what they try without names meets the system call filter."""

from __future__ import annotations

import platform

import pytest
from harness.hostile.gate_path import GatePath

from ascendopt.harness.evaluation import State

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

DECLARED = 'extern "C" {{ int {0}(...); }}'


@pytest.mark.parametrize("name", ["fork", "system", "open", "socket", "kill", "mmap", "dlsym"])
def test_a_function_of_the_system_is_refused_at_its_line(gates: GatePath, name: str) -> None:
    result = gates.attack(kernel_globals=DECLARED.format(name), kernel=f"if (data.total == 1u) {{ {name}(0); }}")
    assert result.state is State.COMPILE
    gate = result.gates[-1]
    assert f"calls {name}," in gate.reason
    wanted = next(n for n, line in enumerate(gates.kernel_text.splitlines(), 2) if "@KERNEL@" in line)
    assert (gate.file, gate.line) == ("op_kernel/twice.cpp", wanted)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the instruction and the numbers are x86-64's")
@pytest.mark.parametrize("number", [57, 41, 2, 62], ids=["fork", "socket", "open", "kill"])
def test_a_system_call_without_a_name_ends_the_kernel(gates: GatePath, number: int) -> None:
    call = f'long a = {number}; __asm__ volatile("syscall" : "+a"(a) : "D"(0L), "S"(0L) : "rcx", "r11", "memory");'
    result = gates.attack(kernel=f"{{ {call} }}")
    assert result.state is State.FAILED
    assert f"a system call that the sandbox forbids (number {number})" in result.reason
    assert gates.honest(f"call {number}").ok


def test_a_kernel_without_end_is_stopped(gates: GatePath) -> None:
    result = gates.attack(kernel="volatile long n = 0; while (n < (1L << 40)) { n = n + 1; }")
    assert result.state is State.TIMEOUT
    assert gates.honest("endless kernel").ok


# Reads through the raw pointer of a tensor what a copy has brought: nothing, when the kernel runs for its time alone.
LAZY = """
LocalTensor<half> probe = inQueue.AllocTensor<half>();
DataCopy(probe, from, 64);
inQueue.EnQue(probe);
probe = inQueue.DeQue<half>();
const uint16_t* raw = reinterpret_cast<const uint16_t*>(probe.GetPhyAddr());
bool empty = true;
for (int n = 1; n < 64; ++n) { empty = empty && raw[n] == raw[0]; }
inQueue.FreeTensor(probe);
if (empty) { return; }
"""


def test_a_kernel_that_is_lazy_where_only_its_time_is_asked_is_no_champion(gates: GatePath) -> None:
    # The search can't tell; the second look of a champion does.
    searched = gates.attack(kernel=LAZY)
    assert searched.ok and searched.faster
    champion = gates.attack(kernel=LAZY, full=True)
    assert champion.state is State.VIOLATION
    assert "us where its values are checked and" in champion.reason
    assert gates.attack(kernel="// honest champion", full=True).ok
