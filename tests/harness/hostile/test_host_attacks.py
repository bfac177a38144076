"""Host code is native code: what it tries while it is loaded, and in its tiling function."""

from __future__ import annotations

import select
import socket
from pathlib import Path

import pytest
from harness.hostile import attacks
from harness.hostile.gate_path import GatePath
from harness.tiny_operator import HOST

from ascendopt.harness.evaluation import Evaluation, State

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

FORBIDDEN = "a system call that the sandbox forbids"
PLACES = ("load", "tiling")


def attack(gates: GatePath, place: str, code: str) -> Evaluation:
    if place == "load":
        return gates.attack(host_globals=attacks.at_load(code))
    return gates.attack(host_globals=attacks.HEADERS, host=code)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("code", attacks.ON_PROCESSES.values(), ids=attacks.ON_PROCESSES)
def test_processes_and_signals_are_out_of_reach(gates: GatePath, place: str, code: str) -> None:
    result = attack(gates, place, code)
    assert result.state in (State.FAILED, State.COMPILE)
    assert FORBIDDEN in result.reason
    after = gates.honest(f"after {place} {len(code)}")
    assert after.ok, after.reason


OWN_FUNCTIONS = {
    "the wire": ("namespace ascendopt::run { void write_frame(int); }", "ascendopt::run::write_frame"),
    "a method": (
        "namespace ascendopt::rt { struct Core { void finish(int) const; }; inline void write_frame(int) { "
        "static const Core core{}; core.finish(0); } }\nnamespace ascendopt { namespace run = rt; }",
        "ascendopt::rt::Core::finish",
    ),
    "the kernels' API": ('extern "C" void asc_barrier(int);\n#define CALL asc_barrier(1)', "asc_barrier"),
    "the dynamic linker": ("#define CALL dlsym(nullptr, nullptr)", "dlsym"),
}


@pytest.mark.parametrize("name", OWN_FUNCTIONS)
def test_functions_of_the_process_itself_are_refused_at_their_line(gates: GatePath, name: str) -> None:
    declared, called = OWN_FUNCTIONS[name]
    call = "CALL" if "#define CALL" in declared else "ascendopt::run::write_frame(1)"
    result = gates.attack(host_globals=f"{attacks.HEADERS}\n{declared}", host=f"if (context == nullptr) {{ {call}; }}")
    assert result.state is State.COMPILE
    gate = result.gates[-1]
    assert gate.reason == f"the host code calls {called}, which is no function of the host API."
    text = f"{attacks.HEADERS}\n{declared}\n{HOST}".splitlines()
    mark = "core.finish" if name == "a method" else "@HOST@"
    wanted = next(n for n, line in enumerate(text, 1) if mark in line)
    assert (gate.file, gate.line) == ("op_host/twice.cpp", wanted)
    assert gates.honest(f"own functions {name}").ok


@pytest.mark.parametrize("place", PLACES)
def test_memory_is_bounded(gates: GatePath, place: str) -> None:
    result = attack(gates, place, attacks.MEMORY)
    assert not result.ok and result.reason
    assert gates.honest(f"memory {place}").ok


@pytest.mark.parametrize("place", PLACES)
def test_an_endless_loop_ends_with_its_cpu_time(gates: GatePath, place: str) -> None:
    result = attack(gates, place, attacks.LOOP)
    assert result.state is State.TIMEOUT, result.reason
    assert gates.honest(f"loop {place}").ok


@pytest.mark.parametrize("place", PLACES)
def test_endless_output_is_cut(gates: GatePath, place: str) -> None:
    result = attack(gates, place, attacks.OUTPUT + " abort();")
    assert not result.ok
    assert len(result.reason) < 2000
    assert gates.honest(f"output {place}").ok


@pytest.mark.parametrize("place", PLACES)
def test_no_file_is_written(gates: GatePath, place: str, tmp_path: Path) -> None:
    result = attack(gates, place, attacks.write_file(tmp_path / "mark"))
    assert not result.ok and FORBIDDEN in result.reason
    assert not list(tmp_path.iterdir())


def test_the_operator_of_the_user_is_not_overwritten(gates: GatePath) -> None:
    file = gates.operator / "op_kernel" / "twice.cpp"
    before = file.read_bytes(), file.stat().st_mtime_ns
    assert not attack(gates, "tiling", attacks.write_file(file)).ok
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


@pytest.mark.parametrize("place", PLACES)
def test_no_file_outside_is_read(gates: GatePath, place: str, secret: Path) -> None:
    result = attack(gates, place, attacks.read_file(secret))
    assert "the-secret-text" not in result.reason
    # While an object is loaded, opening fails; later even trying ends the process. Neither has the text to abort with.
    assert place == "load" or FORBIDDEN in result.reason
    assert "SIGABRT" not in result.reason
    assert result.ok == (place == "load")


@pytest.mark.parametrize("place", PLACES)
def test_no_network(gates: GatePath, place: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        result = attack(gates, place, attacks.connect_to(listener.getsockname()[1]))
        reached, _, _ = select.select([listener], [], [], 0)
    assert not reached
    assert not result.ok and FORBIDDEN in result.reason
