"""Kernel-launch programs are whole programs: what their main and their kernels try."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.hostile import attacks

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.devices.model.device import ModelDevice, ModelOptions
from ascendopt.harness.devices.model.program import ProgramLimits
from ascendopt.harness.devices.programs import ProgramRun

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

FORBIDDEN = "a system call that the sandbox forbids"

PROGRAM = """
@GLOBALS@
#include "kernel_operator.h"
#include "acl/acl.h"

__global__ __vector__ void one(__gm__ float* x) {
    @KERNEL@
    AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::GlobalTensor<float> all;
    all.SetGlobalBuffer(x, 64);
    AscendC::DataCopy(tile, all, 64);
}

int main() {
    @MAIN@
    void* x = nullptr;
    aclrtMalloc(&x, 256, ACL_MEM_MALLOC_HUGE_FIRST);
    one<<<1, 0, nullptr>>>(static_cast<float*>(x));
    return 7;
}
"""

Attack = Callable[..., ProgramRun]


@pytest.fixture(scope="module")
def device() -> Iterator[ModelDevice]:
    limits = ProgramLimits(cpu_s=1, wall_s=60, memory_mb=256)
    device = ModelDevice("Ascend910B2", options=ModelOptions(program_limits=limits))
    yield device
    device.close()


@pytest.fixture
def attack(device: ModelDevice, tmp_path: Path) -> Attack:
    """Build and run a program with code in its main, its kernel or before everything."""

    def run(*, main: str = "", kernel: str = "", before: str = "") -> ProgramRun:
        source, folder = tmp_path / "source" / "attack.asc", tmp_path / "run"
        source.parent.mkdir(exist_ok=True)
        folder.mkdir(exist_ok=True)
        text = PROGRAM.replace("@GLOBALS@", f"{attacks.HEADERS}\n{before}")
        source.write_text(text.replace("@MAIN@", main).replace("@KERNEL@", kernel))
        return device.program(source, BuildOptions("Ascend910B2")).run(folder)

    return run


def place(where: str, code: str) -> dict[str, str]:
    """The code in main, in the kernel, or in a constructor."""
    if where == "load":
        return {"before": f"__attribute__((constructor)) static void early() {{ {code} }}"}
    return {where: f"{{ {code} }}"}


PLACES = ("load", "main", "kernel")


def test_an_honest_program_passes(attack: Attack) -> None:
    done = attack()
    assert (done.exit_code, done.failure) == (7, None)
    assert [launch.kernel for launch in done.launches] == ["one"]


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("code", attacks.ON_PROCESSES.values(), ids=attacks.ON_PROCESSES)
def test_processes_and_signals_are_out_of_reach(attack: Attack, where: str, code: str) -> None:
    done = attack(**place(where, code))
    assert done.exit_code is None and done.failure is not None
    assert FORBIDDEN in done.failure.reason
    assert attack().exit_code == 7


@pytest.mark.parametrize("where", PLACES)
def test_memory_is_bounded(attack: Attack, where: str) -> None:
    done = attack(**place(where, attacks.MEMORY))
    assert done.exit_code is None and done.failure is not None
    assert attack().exit_code == 7


@pytest.mark.parametrize("where", PLACES)
def test_an_endless_loop_ends_with_its_cpu_time(attack: Attack, where: str) -> None:
    done = attack(**place(where, attacks.LOOP))
    assert done.failure is not None and "CPU time" in done.failure.reason
    assert attack().exit_code == 7


@pytest.mark.parametrize("where", PLACES)
def test_endless_output_is_cut(attack: Attack, where: str) -> None:
    done = attack(**place(where, attacks.OUTPUT))
    # 64 MB were written.
    assert len(done.output) < 1 << 18
    assert attack().exit_code == 7


@pytest.mark.parametrize("where", PLACES)
def test_no_file_outside_of_its_folder_is_written(attack: Attack, where: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    # The attempt fails, or ends the program: the code ends it where the file was opened.
    done = attack(**place(where, attacks.write_file(mark) + " if (fd >= 0) abort();"))
    assert not mark.exists()
    assert done.failure is None or "SIGABRT" not in done.failure.reason


@pytest.mark.parametrize("where", PLACES)
def test_no_file_outside_of_its_folder_is_read(attack: Attack, where: str, secret: Path) -> None:
    done = attack(**place(where, attacks.read_file(secret)))
    assert "the-secret-text" not in done.output
    assert done.failure is None or "SIGABRT" not in done.failure.reason


@pytest.mark.parametrize("where", PLACES)
def test_its_own_source_is_not_overwritten(attack: Attack, where: str, tmp_path: Path) -> None:
    source = tmp_path / "source" / "attack.asc"
    attack(**place(where, attacks.write_file(source)))
    assert source.read_text().startswith("\n\n#include")


@pytest.mark.parametrize("where", PLACES)
def test_no_network(attack: Attack, where: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = attack(**place(where, attacks.connect_to(listener.getsockname()[1])))
        reached, _, _ = select.select([listener], [], [], 0)
    assert not reached
    assert done.failure is not None and FORBIDDEN in done.failure.reason


@pytest.mark.parametrize(
    ("declared", "call", "named"),
    [
        (
            "namespace ascendopt::program { void forge(int); }",
            "ascendopt::program::forge(1)",
            "ascendopt::program::forge",
        ),
        ("", "dlsym(nullptr, nullptr)", "dlsym"),
    ],
)
def test_functions_of_the_process_itself_are_refused_at_their_line(
    attack: Attack, declared: str, call: str, named: str
) -> None:
    with pytest.raises(DeviceFailure) as refused:
        attack(before=declared, main=f"if (getpid() == 0) {{ {call}; }}")
    assert refused.value.reason == f"the program calls {named}, which is no function of the AscendC API."
    text = PROGRAM.replace("@GLOBALS@", f"{attacks.HEADERS}\n{declared}").splitlines()
    line = next(number for number, line in enumerate(text, 1) if "@MAIN@" in line)
    assert (refused.value.file, refused.value.line) == ("attack.asc", line)


def test_a_program_that_sleeps_ends_with_the_wall_clock(device: ModelDevice, tmp_path: Path) -> None:
    limits = ProgramLimits(cpu_s=60, wall_s=1, memory_mb=256)
    asleep = ModelDevice("Ascend910B2", options=ModelOptions(program_limits=limits))
    source = tmp_path / "sleep.asc"
    code = "timespec nap{8, 0}; nanosleep(&nap, nullptr);"
    source.write_text(PROGRAM.replace("@GLOBALS@", attacks.HEADERS).replace("@MAIN@", code).replace("@KERNEL@", ""))
    try:
        program = asleep.program(source, BuildOptions("Ascend910B2"))
        began = time.monotonic()
        done = program.run(tmp_path)
    finally:
        asleep.close()
    assert done.failure is not None
    assert time.monotonic() - began < 7
