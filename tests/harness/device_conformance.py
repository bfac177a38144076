"""What every device must do. A device's tests derive from ``DeviceConformance`` and give the fixture ``device``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness.tiny_operator import case, line_of, write_operator

from ascendopt.harness.devices.base import BuildOptions, Built, Device, DeviceFailure, SlottedHost

KERNEL_FILE = "op_kernel/twice.cpp"
HOST_FILE = "op_host/twice.cpp"


def values(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape).astype(np.float16)


def build(device: Device, root: Path) -> Built:
    return device.build(root, BuildOptions(device.capabilities.soc))


class DeviceConformance:
    """The suite. ``device`` is shared by its tests: each failure must leave it usable."""

    @pytest.fixture()
    def healthy(self, device: Device, tmp_path: Path) -> Built:
        return build(device, write_operator(tmp_path / "healthy"))

    def assert_still_works(self, built: Built) -> None:
        x = values(40)
        run = built.run(case(40), [x])
        np.testing.assert_array_equal(run.outputs[0], x + x)

    def test_tiling_is_what_the_host_code_computes(self, healthy: Built) -> None:
        tiling = healthy.tile(case(1000))
        # By hand: 1000 over 4 cores, rounded up to 16 elements.
        assert tiling.values == {"total": 1000, "perCore": 256, "tile": 1024}
        assert (tiling.block_dim, tiling.tiling_key, tiling.workspace) == (4, 7, 0)
        assert tiling.raw[:12] == b"".join(n.to_bytes(4, "little") for n in (1000, 256, 1024))

    def test_numbers_for_slots_give_what_the_numbers_in_the_text_give(self, device: Device, tmp_path: Path) -> None:
        shared = write_operator(tmp_path)
        file = shared / HOST_FILE
        file.write_text(file.read_text().replace("set_tile(1024)", "set_tile(ASCENDOPT_SLOT(int, 0))"))
        built = device.build_slotted(SlottedHost(shared, (512,)), BuildOptions(device.capabilities.soc))
        if built is not None:  # else the device knows no slots
            assert built.tile(case(1000)).values["tile"] == 512
            self.assert_still_works(built)

    def test_slotted_host_code_that_does_not_compile_is_left_alone(self, device: Device, tmp_path: Path) -> None:
        shared = write_operator(tmp_path / "shared", host="constexpr int fixed = ASCENDOPT_SLOT(int, 0);")
        assert device.build_slotted(SlottedHost(shared, (512,)), BuildOptions(device.capabilities.soc)) is None
        self.assert_still_works(build(device, write_operator(tmp_path / "plain")))

    @pytest.mark.parametrize("shape", [(7,), (64, 16), (1000, 33), (3, 5, 7)])
    def test_outputs_equal_numpy(self, healthy: Built, shape: tuple[int, ...]) -> None:
        x = values(*shape)
        run = healthy.run(case(*shape), [x])
        assert run.outputs[0].dtype == np.float16
        np.testing.assert_array_equal(run.outputs[0], x + x)
        assert not [violation for violation in run.violations if violation.severity == "error"]
        # Two queues with two buffers of 1024 halves.
        assert run.ub_bytes >= 2 * 2 * 1024 * 2

    def test_timing_and_profile_agree(self, healthy: Built) -> None:
        small, large = case(4096), case(64, 4096)
        run = healthy.run(large, [values(64, 4096)])
        profile = healthy.profile(large)
        assert run.timing is not None
        assert profile.timing.latency_us == pytest.approx(run.timing.latency_us, rel=1e-9)
        assert len(profile.timing.samples_us) > 1
        assert profile.timing.bound in profile.timing.pipes_us
        assert profile.tiling.block_dim == 4
        assert healthy.profile(small).timing.latency_us < profile.timing.latency_us

    def test_same_inputs_same_answers(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        again = build(device, write_operator(tmp_path / "again"))
        assert again.profile(case(5000)).timing == healthy.profile(case(5000)).timing

    def test_active_case(self, healthy: Built) -> None:
        active = healthy.active_case(case(64), "Ascend910B2")
        assert active.tiling["perCore"] == 16
        assert active.dtypes == {"x": "float16", "y": "float16"}

    def test_kernel_that_does_not_compile(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        root = write_operator(tmp_path, kernel="int wrong = undeclared_name;")
        with pytest.raises(DeviceFailure) as caught:
            build(device, root).run(case(40), [values(40)])
        assert caught.value.stage == "compile"
        assert "undeclared_name" in caught.value.reason
        assert (caught.value.file, caught.value.line) == (KERNEL_FILE, line_of(root, KERNEL_FILE, "undeclared_name"))
        self.assert_still_works(healthy)

    def test_host_that_does_not_compile(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        root = write_operator(tmp_path, host="context->NoSuchThing();")
        with pytest.raises(DeviceFailure) as caught:
            build(device, root).tile(case(40))
        assert caught.value.stage == "compile"
        assert "NoSuchThing" in caught.value.reason
        assert (caught.value.file, caught.value.line) == (HOST_FILE, line_of(root, HOST_FILE, "NoSuchThing"))
        self.assert_still_works(healthy)

    def test_unknown_api_is_named(self, device: Device, tmp_path: Path) -> None:
        root = write_operator(tmp_path, kernel="AscendC::NoSuchApi(from, to, 3);")
        with pytest.raises(DeviceFailure, match="NoSuchApi"):
            build(device, root).run(case(40), [values(40)])

    def test_endless_loop_in_the_kernel(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        root = write_operator(tmp_path, kernel="for (volatile int i = 0; i >= 0;) {}")
        with pytest.raises(DeviceFailure, match=r"(?i)time") as caught:
            build(device, root).run(case(40), [values(40)])
        assert caught.value.stage == "run"
        assert (caught.value.file, caught.value.line) == (KERNEL_FILE, line_of(root, KERNEL_FILE, "i >= 0"))
        self.assert_still_works(healthy)

    def test_endless_loop_in_the_tiling(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        root = write_operator(tmp_path, host="for (volatile int i = 0; i >= 0;) {}")
        with pytest.raises(DeviceFailure, match=r"(?i)time") as caught:
            build(device, root).tile(case(40))
        assert caught.value.stage == "tile"
        self.assert_still_works(healthy)

    def test_null_dereference(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        root = write_operator(tmp_path, kernel="volatile int* nowhere = nullptr; *nowhere = 1;")
        with pytest.raises(DeviceFailure, match="null") as caught:
            build(device, root).run(case(40), [values(40)])
        assert (caught.value.file, caught.value.line) == (KERNEL_FILE, line_of(root, KERNEL_FILE, "nowhere"))
        self.assert_still_works(healthy)

    def test_allocation_without_end(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        greedy = "std::vector<char*> all; for (;;) all.push_back(new char[64 << 20]);"
        with pytest.raises(DeviceFailure, match=r"(?i)memory") as caught:
            build(device, write_operator(tmp_path, host=greedy)).tile(case(40))
        assert caught.value.stage == "tile"
        self.assert_still_works(healthy)

    def test_write_out_of_bounds(self, device: Device, healthy: Built, tmp_path: Path) -> None:
        body = "LocalTensor<half> t = outQueue.AllocTensor<half>(); DataCopy(to[data.total + 4096], t, 1024);"
        root = write_operator(tmp_path, kernel=body)
        line = line_of(root, KERNEL_FILE, "data.total + 4096")
        try:
            run = build(device, root).run(case(40), [values(40)])
        except DeviceFailure as failure:
            assert (failure.file, failure.line) == (KERNEL_FILE, line)
            assert "y" in failure.reason or "bound" in failure.reason
        else:
            places = [(v.file, v.line) for v in run.violations if v.severity == "error"]
            assert (KERNEL_FILE, line) in places
        self.assert_still_works(healthy)

    def test_missing_synchronisation(self, device: Device, tmp_path: Path) -> None:
        body = (
            "TBuf<QuePosition::VECCALC> buffer; pipe.InitBuffer(buffer, 2048); "
            "LocalTensor<half> raw = buffer.Get<half>(); DataCopy(raw, from, 1024);\n"
            "    Add(raw, raw, raw, 1024);  // races with the copy"
        )
        root = write_operator(tmp_path, kernel=body)
        run = build(device, root).run(case(4096), [values(4096)])
        found = [violation for violation in run.violations if violation.code.startswith("race")]
        assert found and found[0].severity == "error"
        assert (found[0].file, found[0].line) == (KERNEL_FILE, line_of(root, KERNEL_FILE, "races with the copy"))

    def test_wrong_case_is_refused(self, healthy: Built) -> None:
        wrong = case(40)
        renamed = type(wrong)("wrong", (type(wrong.inputs[0])("z", "float16", ((40,),)),), wrong.outputs)
        with pytest.raises(DeviceFailure, match="'z'"):
            healthy.tile(renamed)
