"""Which numbers are tunable, and that only their bytes change."""

from __future__ import annotations

import pytest

from ascendopt.harness.search.tunables import TunableError, apply_values, find_tunables


def names(host: str = "", kernel: str = "") -> dict[str, tuple[int, str]]:
    texts = {"op_host/a.cpp": host, "op_kernel/a.cpp": kernel}
    return {t.name: (t.value, t.role) for t in find_tunables(texts)}


def test_idioms_of_host_code_are_found() -> None:
    host = """
    #define CHUNK_LEN 4096
    constexpr uint32_t UB_PARTS = 6U;
    constexpr uint32_t UB_LENGTH = 8192;
    constexpr uint32_t RESERVED_UB_SIZE = 2048;
    static const int64_t MAX_TILE_BYTES = 16 * 1024;
    constexpr int32_t TILE_NUM = 8;
    constexpr int32_t numOfChunks = 4;
    static ge::graphStatus Tiling(gert::TilingContext* context) {
        uint64_t ubDataNumber = (type == ge::DT_FLOAT) ? 4 : 6;
        uint64_t free = (ubSize - RESERVED_UB_SIZE) / TILE_NUM / numOfChunks;
        uint32_t tile = std::min(MAX_TILE_BYTES, free / UB_PARTS / ubDataNumber) + CHUNK_LEN + UB_LENGTH;
        context->SetBlockDim(1);
    }
    """
    assert names(host) == {
        "CHUNK_LEN": (4096, "tile-size"),
        "UB_PARTS": (6, "ub-divisor"),
        "UB_LENGTH": (8192, "tile-size"),
        "RESERVED_UB_SIZE": (2048, "ub-reserve"),
        "MAX_TILE_BYTES": (16384, "tile-size"),
        "TILE_NUM": (8, "tile-count"),
        "numOfChunks": (4, "tile-count"),
        "ubDataNumber": (4, "ub-divisor"),
        "ubDataNumber#2": (6, "ub-divisor"),
        "SetBlockDim": (1, "block-count"),
    }


def test_facts_of_the_hardware_and_of_the_operator_are_left_alone() -> None:
    host = """
    constexpr uint32_t BLOCK_SIZE = 32, FP32_BLOCK_NUM = 8;
    constexpr uint32_t INPUT_NUM = 2, X_INDEX = 1, TILING_KEY_TILE = 3;
    constexpr uint32_t TILE_CAPACITY = 64;
    int table[TILE_CAPACITY];
    constexpr uint32_t UNUSED_TILE = 128;
    int a = BLOCK_SIZE + FP32_BLOCK_NUM + INPUT_NUM + X_INDEX + TILING_KEY_TILE;
    class Add : public OpDef { static constexpr int TILE_LEN = 128; int b = TILE_LEN; };
    """
    assert names(host) == {}


def test_host_and_kernel_constants_of_one_name_change_together() -> None:
    texts = {
        "op_host/a.cpp": "const uint32_t BUFFER_NUM = 2; int x = ub / BUFFER_NUM;\n",
        "op_kernel/a.cpp": "constexpr int32_t BUFFER_NUM = 2;\nTQue<VECIN, BUFFER_NUM> q;\n",
    }
    (tunable,) = find_tunables(texts)
    assert len(tunable.sites) == 2 and tunable.role == "buffer-count"

    changed = apply_values(texts, [tunable], {"BUFFER_NUM": 1})
    assert changed == {
        "op_host/a.cpp": "const uint32_t BUFFER_NUM = 1; int x = ub / BUFFER_NUM;\n",
        "op_kernel/a.cpp": "constexpr int32_t BUFFER_NUM = 1;\nTQue<VECIN, BUFFER_NUM> q;\n",
    }


def test_a_buffer_count_that_no_kernel_knows_divides_ub() -> None:
    host = {"op_host/a.cpp": "constexpr int BUF_CNT_2 = 2;\nuint64_t tile = ub / BUF_CNT_2;\n"}
    (tunable,) = find_tunables(host)
    assert tunable.role == "buffer-share"
    (tunable,) = find_tunables({"one.asc": "constexpr int BUFFER_NUM = 2;\nTQue<VECIN, BUFFER_NUM> q;\n"})
    assert tunable.role == "buffer-count"


def test_markers_choose_force_and_forbid() -> None:
    host = (
        "// ascendopt: tune[1, 2, 4]\n"
        "constexpr int kWidth = 2;\n"
        "constexpr int kStep = 512;  // ascendopt: tune[256..1024:256]\n"
        "constexpr int TILE_LEN = 512;  // ascendopt: fixed\n"
        "int y = TILE_LEN;\n"
    )
    found = {t.name: t.domain for t in find_tunables({"op_host/a.cpp": host})}
    assert found == {"kWidth": (1, 2, 4), "kStep": (256, 512, 768, 1024)}


def test_a_marker_that_makes_no_sense_is_named_with_its_line() -> None:
    with pytest.raises(TunableError, match=r"op_host/a.cpp:2: 'tune\[1,x\]'"):
        find_tunables({"op_host/a.cpp": "\nconstexpr int T = 1;  // ascendopt: tune[1,x]\n"})


def test_only_the_bytes_of_the_number_change() -> None:
    # Latin-1 bytes, CRLF, a form feed, hex, suffix, and no newline at the end.
    raw = b"// caf\xe9\r\n\x0cconstexpr uint64_t TILE_LEN = 0x1000UL;\r\nuint64_t b = TILE_LEN; // end"
    text = raw.decode("utf-8", "surrogateescape")
    texts = {"op_host/a.cpp": text}
    (tunable,) = find_tunables(texts)
    assert tunable.value == 4096
    changed = apply_values(texts, [tunable], {"TILE_LEN": 8192})["op_host/a.cpp"]
    assert changed.encode("utf-8", "surrogateescape") == raw.replace(b"0x1000UL", b"8192UL")
    assert apply_values(texts, [tunable], {"TILE_LEN": 4096}) == {}


def test_every_domain_is_ascending_and_holds_the_present_value() -> None:
    host = "constexpr uint32_t TILE_LEN = 2000; constexpr int UB_SHARE = 7; int a = TILE_LEN / UB_SHARE;"
    for tunable in find_tunables({"op_host/a.cpp": host}):
        assert list(tunable.domain) == sorted(set(tunable.domain))
        assert tunable.value in tunable.domain
