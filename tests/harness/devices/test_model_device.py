"""The model device passes the conformance suite, and more that is its own."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from harness.device_conformance import DeviceConformance, build, values
from harness.tiny_operator import case, write_operator

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure, Profile, SlottedHost, TilingResult
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.device import ModelDevice, ModelOptions, RunLimits

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def device() -> Generator[ModelDevice]:
    device = ModelDevice("Ascend910B2", options=ModelOptions(limits=RunLimits(cpu_s=3)))
    yield device
    device.close()


class TestModelDevice(DeviceConformance):
    """The suite on the model device."""


def test_times_are_modelled(device: ModelDevice) -> None:
    assert device.capabilities.modelled
    assert device.capabilities.soc == "Ascend910B2"
    assert device.capabilities.sandbox


def test_unknown_chip_is_one_sentence() -> None:
    with pytest.raises(DeviceFailure, match="Ascend910B2"):
        ModelDevice("Ascend910B22")


def test_many_profiles_in_one_request(device: ModelDevice, tmp_path: Path) -> None:
    built = device.build(write_operator(tmp_path), BuildOptions("Ascend910B2"))
    cases = [case(n) for n in (64, 4096, 100_000)]
    results = built.profile_many([(each, built.tile(each)) for each in cases] + [(cases[0], None)])
    single = [built.profile(each).timing.latency_us for each in cases]
    assert [r.timing.latency_us for r in results if isinstance(r, Profile)] == [*single, single[0]]


def slotted(device: ModelDevice, folder: Path, fault: str, numbers: Sequence[int]) -> list[ModelBuilt]:
    """The operator with a tile for each of ``numbers``; a ``static`` of the host code keeps the first it sees."""
    shared = write_operator(folder, host=f"static const int tile = ASCENDOPT_SLOT(int, 0); {fault}")
    file = shared / "op_host" / "twice.cpp"
    file.write_text(file.read_text().replace("set_tile(1024)", "set_tile(tile)"))
    options = BuildOptions("Ascend910B2")
    built = [device.build_slotted(SlottedHost(shared, (number,)), options) for number in numbers]
    return [program for program in built if program is not None]


def test_many_tilings_in_one_request(device: ModelDevice, tmp_path: Path) -> None:
    built = device.build(write_operator(tmp_path), BuildOptions("Ascend910B2"))
    unknown = replace(case(64), attrs={"alpha": 1})
    results = built.tilings([case(64), unknown, case(1000)])
    assert [result.values["total"] for result in results if isinstance(result, TilingResult)] == [64, 1000]
    assert isinstance(results[1], DeviceFailure) and "alpha" in results[1].reason


def test_host_code_is_loaded_for_each_set_of_numbers(device: ModelDevice, tmp_path: Path) -> None:
    programs = slotted(device, tmp_path, "", (512, 256, 512, 128))
    results = programs[0].tilings_of(case(1000), programs)
    tiles = [result.values["tile"] for result in results if isinstance(result, TilingResult)]
    assert tiles == [512, 256, 512, 128]
    assert results == [program.tile(case(1000)) for program in programs]


def test_numbers_that_end_the_process_leave_the_others_alone(device: ModelDevice, tmp_path: Path) -> None:
    fault = "if (ascendopt_slots[0] == 256) __builtin_trap(); if (ascendopt_slots[0] == 128) std::exit(75);"
    programs = slotted(device, tmp_path, fault, (512, 256, 128, 64))
    results = programs[0].tilings_of(case(1000), programs)
    assert [type(result) for result in results] == [TilingResult, DeviceFailure, DeviceFailure, TilingResult]
    last = results[3]
    assert isinstance(last, TilingResult) and last.values["tile"] == 64


def test_time_that_depends_on_values_is_noted(device: ModelDevice, tmp_path: Path) -> None:
    root = write_operator(tmp_path, kernel="if (static_cast<float>(from.GetValue(0)) > 1e4f) return;")
    profile = build(device, root).profile(case(4096))
    assert "depends on" in profile.timing.note
    assert profile.timing.latency_us > 0


def test_tiling_that_depends_on_values_gets_generated_ones(device: ModelDevice, tmp_path: Path) -> None:
    root = write_operator(
        tmp_path, host="if (!context->GetInputTensor(0)->GetData<int16_t>()) return ge::GRAPH_FAILED;"
    )
    with pytest.raises(DeviceFailure):
        build(device, root).tile(case(64))
    file = root / "op_host" / "twice.cpp"
    file.write_text(file.read_text().replace(".ParamType(REQUIRED)", ".ParamType(REQUIRED).ValueDepend(OPTIONAL)", 1))
    built = device.build(root, BuildOptions("Ascend910B2"))
    assert built.tile(case(64)).block_dim == 4
    profiles = built.profile_many([(case(64), None), (case(128), None)])
    assert all(isinstance(profile, Profile) for profile in profiles)


def test_absent_optional_input_is_a_null_pointer(device: ModelDevice, tmp_path: Path) -> None:
    root = write_operator(tmp_path)
    host, kernel = root / "op_host" / "twice.cpp", root / "op_kernel" / "twice.cpp"
    bias = 'this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});'
    host.write_text(host.read_text().replace("this->Output", f"{bias}\n        this->Output", 1))
    text = kernel.read_text().replace("GM_ADDR x, ", "GM_ADDR x, GM_ADDR bias, ", 1)
    kernel.write_text(text.replace("TPipe pipe;", "if (bias != nullptr) return;\n    TPipe pipe;", 1))
    x = values(40)
    np.testing.assert_array_equal(build(device, root).run(case(40), [x]).outputs[0], x + x)


def test_server_that_died_is_replaced(device: ModelDevice, tmp_path: Path) -> None:
    built = build(device, write_operator(tmp_path))
    process = device.worker._process
    assert process is not None
    process.kill()
    process.wait()
    x = values(40)
    np.testing.assert_array_equal(built.run(case(40), [x]).outputs[0], x + x)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ('extern "C" int puts(const char*); puts("hello");', "puts"),
        ("static struct Global { ~Global() {} volatile int n = 1; } global; (void)global;", "__cxa_atexit"),
    ],
)
def test_kernel_that_reaches_outside_is_refused(device: ModelDevice, tmp_path: Path, kernel: str, reason: str) -> None:
    root = write_operator(tmp_path)
    file = root / "op_kernel" / "twice.cpp"
    declaration, _, call = kernel.partition(";") if kernel.startswith("extern") else ("", "", kernel)
    text = file.read_text().replace("using namespace", f"{declaration};\nusing namespace", 1)
    file.write_text(text.replace("GlobalTensor<half>", f"{call}\n    GlobalTensor<half>", 1))
    with pytest.raises(DeviceFailure, match=reason) as caught:
        build(device, root).run(case(40), [values(40)])
    assert caught.value.stage == "compile"
