"""Chip data against the public platform files and architecture pages."""

from __future__ import annotations

import pytest

from ascendopt.analysis.chips import UnknownChip, chip_names, load_chip, soc_for


def test_910b2() -> None:
    # CANN 8.1 platform file of the part: 24 cube and 48 vector cores, 192 KB UB, 512 KB L1, 1800 MHz.
    chip = load_chip("Ascend910B2")
    assert (chip.aic_cores, chip.aiv_cores, chip.clock_mhz) == (24, 48, 1800)
    assert (chip.ub_bytes, chip.l1_bytes, chip.l0c_bytes) == (192 * 1024, 512 * 1024, 128 * 1024)
    # 256 bytes are reserved by the platform, another 8 KB by the API's scratch region.
    assert chip.ub_platform_bytes == 192 * 1024 - 256
    assert chip.ub_kernel_bytes == 192 * 1024 - 256 - 8 * 1024
    assert (chip.npu_arch, chip.cce_aicore) == (2201, 220)


def test_names_and_aliases() -> None:
    assert load_chip("ascend910b").name == "Ascend910B2"
    assert load_chip("ASCEND910B4").aiv_cores == 40
    assert load_chip("Ascend310P").family == "310P"
    assert load_chip("Ascend310P3").ub_bytes == 256 * 1024
    assert "Ascend910B2" in chip_names()
    assert "Ascend910B" not in chip_names()  # an early 910 part has that name in old files


def test_every_chip_says_where_its_numbers_are_from() -> None:
    for name in chip_names():
        chip = load_chip(name)
        assert chip.sources.get("ub_bytes"), name
        assert chip.ub_bytes and chip.vector_cores


def test_unknown_chip_suggests_near_names() -> None:
    with pytest.raises(UnknownChip, match=r"unknown chip 'Ascend910B9'.*Ascend910B2"):
        load_chip("Ascend910B9")


@pytest.mark.parametrize(
    ("configured", "soc"),
    [
        ((), "Ascend910B2"),
        (("ascend310p", "ascend910b"), "Ascend910B2"),
        (("ascend310p",), "Ascend310P3"),
        (("ascend910",), "Ascend910A"),  # the first generation, although its name starts the default's
        (("kirinx90",), "Ascend910B2"),
    ],
)
def test_an_operator_for_other_chips_is_meant_for_the_first_of_them(configured: tuple[str, ...], soc: str) -> None:
    assert soc_for(configured) == soc


def test_a_chip_among_those_that_will_do() -> None:
    assert soc_for(("ascend310b", "ascend310p"), ("Ascend310P3", "Ascend910B2")) == "Ascend310P3"
