"""Programs of ours: what they compute, and the faults that are found in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.model.launch.conftest import PROGRAMS, Ran, line_of

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.devices.model.device import ModelDevice, ModelOptions
from ascendopt.harness.devices.model.program import ProgramLimits

pytestmark = pytest.mark.timeout(1200)


def test_every_form_of_a_launch_computes_what_main_expects(ran: Ran) -> None:
    result = ran("forms.asc")
    assert (result.exit_code, result.failure) == (0, None), result.output
    kernels = ["scaled<float, 2>", "inner::by_struct", "nested<Holder<float>::Same>", "chosen"]
    assert [launch.kernel for launch in result.launches] == kernels
    assert [launch.block_dim for launch in result.launches] == [4, 2, 4, 4]
    assert not any(launch.violations for launch in result.launches)


def test_texts_that_look_like_launches_and_line_numbers_survive(ran: Ran) -> None:
    said = ran("forms.asc").output.split()
    assert said == ["scaled<<<8,", "0,", "stream>>>(x)", str(line_of("forms.asc", "LINE"))]


def test_each_launch_is_timed(ran: Ran) -> None:
    launches = ran("forms.asc").launches
    # Every launch moves 1 KB each way: some hundred nanoseconds on top of the launch's own cost.
    for launch in launches:
        assert launch.timing is not None
        assert 0.5 < launch.timing.latency_us < 10
        assert launch.timing.pipes_us["mte2"] > 0
        assert launch.timing.pipes_us["mte3"] > 0
        assert launch.timing.pipes_us["cube"] == 0


def test_host_and_kernel_headers_go_together(ran: Ran) -> None:
    result = ran("both_sides.asc")
    # M of the shape, a base that fits K, one block, and the vector cores of this chip.
    assert (result.exit_code, result.output) == (0, "64 1 1 48\n")


def test_a_failing_check_is_the_programs_exit_code(ran: Ran) -> None:
    result = ran("faults.asc", FAULT="0", OUTSIDE='""')
    assert (result.exit_code, result.failure, result.launches) == (3, None, ())
    assert result.output == "the check of this program fails\n"


def test_out_of_bounds_of_a_device_buffer_is_found_at_its_line(ran: Ran) -> None:
    result = ran("faults.asc", FAULT="1", OUTSIDE='""')
    assert result.failure is not None
    assert result.exit_code is None
    (violation,) = [v for v in result.launches[0].violations if v.severity == "error"]
    assert violation.code == "gm_out_of_bounds"
    assert (violation.file, violation.line) == ("common.h", line_of("common.h", "READ"))
    assert violation.message == "DataCopy reads bytes [0, 4096) of x, which has 256 bytes"
    assert (result.failure.file, result.failure.line) == (violation.file, violation.line)


def test_a_race_is_found_though_the_values_are_right(ran: Ran) -> None:
    result = ran("faults.asc", FAULT="2", OUTSIDE='""')
    assert (result.exit_code, result.failure) == (0, None)
    (violation,) = [v for v in result.launches[0].violations if v.code == "race_raw"]
    assert (violation.file, violation.line) == ("faults.asc", line_of("faults.asc", "RACE"))


def test_a_copy_past_a_device_buffer_is_found_at_its_line(ran: Ran) -> None:
    result = ran("faults.asc", FAULT="3", OUTSIDE='""')
    assert result.failure is not None
    assert result.failure.reason == "aclrtMemcpy writes 1024 bytes of a device buffer that has 256 from there on."
    assert (result.failure.file, result.failure.line) == ("faults.asc", line_of("faults.asc", "COPY"))
    assert result.launches[-1].violations[0].code == "acl_memory"


def test_host_code_cannot_read_device_memory(ran: Ran) -> None:
    result = ran("faults.asc", FAULT="4", OUTSIDE='""')
    assert result.failure is not None
    assert result.failure.reason == "the host code accessed device memory, which only copies and kernels can reach."
    assert (result.failure.file, result.failure.line) == ("faults.asc", line_of("faults.asc", "TOUCH"))


@pytest.mark.parametrize("fault", ["5", "9"])
def test_a_kernel_cannot_use_freed_or_host_memory(ran: Ran, fault: str) -> None:
    result = ran("faults.asc", FAULT=fault, OUTSIDE='""')
    assert [v.code for v in result.launches[0].violations if v.severity == "error"] == ["gm_out_of_bounds"]


def test_a_program_is_kept_to_its_folder(ran: Ran, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "escaped.txt"
    result = ran("faults.asc", FAULT="6", OUTSIDE=f'"{outside}"')
    assert (result.exit_code, result.failure) == (0, None), result.output
    assert not outside.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["inside.txt"]
    assert (tmp_path / "inside.txt").read_text() == "kept"


def test_a_program_has_no_network(ran: Ran) -> None:
    result = ran("faults.asc", FAULT="7", OUTSIDE='""')
    assert result.failure is not None
    assert "a system call that the sandbox forbids" in result.failure.reason


def test_a_kernel_without_end_is_stopped(tmp_path: Path) -> None:
    device = ModelDevice("Ascend910B2", options=ModelOptions(program_limits=ProgramLimits(cpu_s=1.0)))
    try:
        program = device.program(PROGRAMS / "faults.asc", BuildOptions("Ascend910B2", {"FAULT": "8", "OUTSIDE": '""'}))
        result = program.run(tmp_path)
    finally:
        device.close()
    assert result.failure is not None
    assert "time limit: the kernel was still running after 1 second of CPU time" in result.failure.reason


def test_a_source_without_main_is_refused(model: ModelDevice, tmp_path: Path) -> None:
    source = tmp_path / "library.asc"
    source.write_text(
        '#include "kernel_operator.h"\n__global__ __vector__ void k() {}\nvoid go() { k<<<1, 0, 0>>>(); }\n'
    )
    with pytest.raises(DeviceFailure, match="has no function main"):
        model.program(source, BuildOptions("Ascend910B2"))


def test_a_call_that_is_not_modelled_does_not_compile(model: ModelDevice, tmp_path: Path) -> None:
    source = tmp_path / "unknown.asc"
    source.write_text(
        '#include "acl/acl.h"\n__global__ __vector__ void k() {}\n'
        "int main() {\n    k<<<1, 0, nullptr>>>();\n    return aclrtDoesNotExist();\n}\n"
    )
    with pytest.raises(DeviceFailure, match="aclrtDoesNotExist") as caught:
        model.program(source, BuildOptions("Ascend910B2"))
    assert (caught.value.file, caught.value.line) == ("unknown.asc", 5)


def test_an_edited_header_beside_the_source_is_compiled_again(model: ModelDevice, tmp_path: Path) -> None:
    (tmp_path / "code.h").write_text("#define CODE 4\n")
    source = tmp_path / "edited.asc"
    source.write_text('#include "code.h"\n__global__ void k() {}\nint main() { k<<<1, 0, 0>>>(); return CODE; }\n')
    folder = tmp_path / "work"
    folder.mkdir()
    assert model.program(source, BuildOptions("Ascend910B2")).run(folder).exit_code == 4
    (tmp_path / "code.h").write_text("#define CODE 5\n")
    assert model.program(source, BuildOptions("Ascend910B2")).run(folder).exit_code == 5
