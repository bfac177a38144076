"""Facts after an edit are those of a fresh analysis: random edits of all kinds, compared after each one."""

from __future__ import annotations

import random
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from fuzz.edits import run

from ascendopt.analysis.checking import check_facts, check_kernel
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import (
    ArmStep,
    Event,
    FactsCache,
    LoopStep,
    OperatorFacts,
    analyse_file,
    analyse_operator,
    macros_of,
)
from ascendopt.analysis.facts.places import Place
from ascendopt.analysis.operators import NotAnOperator, ParsedFiles, discover
from ascendopt.analysis.quiet import QuietRules
from ascendopt.analysis.source import SourceFile
from ascendopt.analysis.values import Value

SOC = "Ascend910B2"
Files = dict[Path, SourceFile]

# Two keys, a base class, helpers with out-parameters, macros, an enumerator, a loop whose effects come from a callee.
COMMON = """\
#pragma once
#include "kernel_operator.h"
using namespace AscendC;
#define ROUND(n, m) (((n) + (m) - 1) / (m) * (m))
#define FREE(queue, tensor) queue.FreeTensor(tensor); rounds += 1
constexpr int32_t BUFFERS = 2;
constexpr uint32_t BLOCK = 32;
enum Mode { PLAIN = 1, WIDE, LAST = WIDE + 4 };
struct DemoTilingData {
    uint32_t tile;
    uint32_t rounds;
};
__aicore__ inline void Split(uint32_t all, uint32_t& left) { left = all % BLOCK; }
template <typename T>
class Base {
  public:
    __aicore__ inline void Open(GM_ADDR x, uint32_t count);
    __aicore__ inline uint32_t Size() { return ROUND(this->length * sizeof(T), BLOCK); }
  protected:
    TQue<QuePosition::VECIN, BUFFERS> in;
    GlobalTensor<T> source;
    uint32_t length = 0;
    uint32_t rounds = 0;
};
"""
KERNEL = """\
#include "common.h"
template <typename T>
__aicore__ inline void Base<T>::Open(GM_ADDR x, uint32_t count) {
    source.SetGlobalBuffer((__gm__ T*)x, count);  // größer als nötig: 世界
    this->length = count;
}
template <typename T, int MODE>
class Scale : public Base<T> {
  public:
    using D = float;
    __aicore__ inline void Init(GM_ADDR x, const DemoTilingData& data, TPipe* pipe) {
        this->Open(x, data.tile);
        pipe->InitBuffer(this->in, BUFFERS, this->Size());
        pipe->InitBuffer(work, 48 * 1024 * sizeof(D));
        steps = data.rounds;
        width = 64;
    }
    __aicore__ inline void Process() {
        for (uint32_t i = 0; i < steps; ++i) {
            Copy(i);
            Compute();
            Note(width);
            if (tail > 3) { PipeBarrier<PIPE_ALL>(); }
        }
    }
  private:
    __aicore__ inline void Copy(uint32_t i) {
        LocalTensor<T> x = this->in.template AllocTensor<T>();
        DataCopy(x, this->source[i * this->length], this->length);
        this->in.EnQue(x);
        Split(i, tail);
    }
    __aicore__ inline void Compute() {
        LocalTensor<T> x = this->in.template DeQue<T>();
        LocalTensor<D> wide = work.Get<D>();
        if constexpr (MODE == WIDE) { Adds(wide[3], wide, 1.0f, 100); }
        else { Muls(wide, wide, 2.0f, 64, 300, {1, 1, 8, 8}); }
        Exp(wide, wide, width);
        FREE(this->in, x);
    }
    TBuf<QuePosition::VECCALC> work;
    uint32_t steps = 0, tail = 0, width = 0;
};
class Twice {
  public:
    __aicore__ inline void Run(GM_ADDR x, TPipe* pipe) {
        pipe->InitBuffer(out, 2, BLOCK * 700 * LAST);
        LocalTensor<half> y = out.AllocTensor<half>();
        y.SetValue(0, 1);
        out.FreeTensor(y);
        out.FreeTensor(y);
    }
    __aicore__ inline void Note(uint32_t seen) { last = seen; }
    __aicore__ inline void Compute() { last = 0; }
    __aicore__ inline void Leave() { int32_t n = 0; }
    uint32_t last = 0;
    TPipe own;
    TQue<QuePosition::VECOUT, 1> out;
};
extern "C" __global__ __aicore__ void demo(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(DemoTilingData, data, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(1)) {
        Scale<half, PLAIN> op;
        op.Init(x, data, &pipe);
        op.Process();
    } else if (TILING_KEY_IS(2)) {
        Scale<DTYPE_X, WIDE> op;
        op.Init(x, data, &pipe);
        op.Process();
    } else if (TILING_KEY_IS(3)) {
        Twice op;
        op.Run(x, &pipe);
    }
    if (data.rounds > 99) { Leave(x); }
}
"""
HOST = """\
#include "register/op_def_registry.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(DemoTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(uint32_t, rounds);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Demo, DemoTilingData)
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    DemoTilingData tiling;
    uint64_t ub = 0;
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    tiling.set_tile(ub / 2);
    tiling.set_rounds(context->GetInputShape(0)->GetStorageShape().GetShapeSize() / 8);
    return ge::GRAPH_SUCCESS;
}
}
namespace ops {
class Demo : public OpDef {
  public:
    explicit Demo(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Demo);
}
"""
LONE = """\
#include "kernel_operator.h"
using namespace AscendC;
#define N 100
class Lone {
  public:
    __aicore__ inline void Init(GM_ADDR x, int32_t n) { pipe.InitBuffer(q, 1, n * sizeof(half)); size = n; }
    __aicore__ inline void Process() { Fill(size); Fill(N); }
  private:
    __aicore__ inline void Fill(int32_t n) {
        auto t = q.AllocTensor<half>();
        for (int32_t i = 0; i < n; i++) { t.SetValue(i, 0); }
        q.FreeTensor(t);
    }
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> q;
    int32_t size;
};
"""
PIECES = (
    b"1", b"0", b";", b"}", b"{", b"(", b")", b"\n", b" ", b"// note\n", b"/* ", b" */", b'"', b"x", b"size", b"#",
    b",",
    "ä€😀".encode(), b"BLOCK", b"WIDE", b"length += 7;\n", b"tail = 2; ", b"uint32_t extra = 4;\n", b"int32_t steps;\n",
    b"constexpr uint32_t MORE = BLOCK * 2;\n", b"#define BLOCK 64\n", b"#define Split(a, b) b = 1\n", b"#if 0\n",
    b"#endif\n",
    b"TBuf<QuePosition::VECCALC> work;\n", b"TQue<QuePosition::VECIN, 4> in;\n", b"using T = int32_t;\n", b"return;\n",
    b"__aicore__ inline void Copy(uint32_t i) { tail = i; }\n", b"__aicore__ inline uint32_t Size() { return 64; }\n",
    b"__aicore__ inline void Split(uint32_t all, uint32_t& left) { left = 5; }\n", b"void Fill(int n);\n",
    b"Fill(3);\n",
    b"class Base { public: uint32_t length; };\n", b"class Twice;\n", b"enum { PLAIN = 9 };\n", b"template <>\n",
    b"struct DemoTilingData { uint64_t tile; };\n", b"pipe->InitBuffer(work, 999999);\n",
    b"if (tail) { rounds = 1; }\n",
)  # fmt: skip


def plain(item: object) -> object:
    """Facts as nested tuples that compare by value: places as bytes of the file, steps without what they point to."""
    if isinstance(item, Place):
        return (item.span.start, item.span.end)
    if isinstance(item, Value):
        return (item.text, item.range)
    if isinstance(item, LoopStep):
        return ("loop", plain(item.loop.header), item.loop.depth, plain(item.trip))
    if isinstance(item, ArmStep):
        return ("arm", plain(item.branch.site), item.arm, plain(item.condition))
    if is_dataclass(item) and not isinstance(item, type):
        names = [entry.name for entry in fields(item) if not entry.name.startswith("_")]
        return (type(item).__name__, *((name, plain(getattr(item, name))) for name in names))
    if isinstance(item, dict):
        return tuple((key, plain(value)) for key, value in item.items())
    if isinstance(item, (tuple, list)):
        return tuple(plain(entry) for entry in item)
    return item


def analysed(files: Files, opened: Path, cache: FactsCache, parsed: ParsedFiles, quiet: QuietRules) -> object:
    """Facts and findings of the operator of ``opened``."""
    if opened.name == "lone.h":
        kernel = analyse_file(files[opened], SOC, cache)
        return plain((kernel, check_kernel(kernel, load_chip(SOC), quiet=quiet)))
    texts = {path: source.data.decode("utf-8", "surrogateescape") for path, source in files.items()}
    try:
        operator = discover(opened, texts, parsed)
    except NotAnOperator as error:
        return str(error)
    facts: OperatorFacts = analyse_operator(operator, SOC, cache, files)
    return plain((facts.kernel, facts.tiling, check_facts(facts, load_chip(SOC), quiet=quiet)))


def random_edit(source: SourceFile, rng: random.Random) -> SourceFile:
    """Insert, delete, replace, join lines, move or copy a block, or undo half a token."""
    size = len(source.data)
    at = rng.randrange(size + 1)
    kind = rng.randrange(10)
    if kind < 4:
        if rng.random() < 0.7:  # at the start of a line, where whole declarations make sense
            at = source.lines.starts[source.lines.line_of(at)]
        return source.with_edit(at, at, rng.choice(PIECES))
    if kind < 6:
        return source.with_edit(at, min(size, at + rng.choice((1, 2, 5, 40))), b"")
    if kind == 6:
        newline = source.data.find(b"\n", at)
        return source.with_edit(newline, newline + 1, b" ") if newline >= 0 else source
    if kind == 7:
        digits = [i for i, char in enumerate(source.data) if chr(char).isdigit()]
        at = rng.choice(digits or [0])
        return source.with_edit(at, at, str(rng.randrange(100)))
    lines = source.lines.starts
    first = rng.randrange(len(lines))
    last = min(len(lines) - 1, first + rng.choice((1, 3, 12)))
    block = source.data[lines[first] : lines[last]]
    if kind == 8:
        source = source.with_edit(lines[first], lines[last], b"")
    target = source.lines.starts[rng.randrange(len(source.lines))]
    return source.with_edit(target, target, block)


def opened_files(folder: Path, texts: dict[str, str]) -> Files:
    """The texts on disk and open in an editor."""
    files: Files = {}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        files[path] = SourceFile.of(path, text.encode(), macros_of(SOC))
    return files


def check_edits(files: Files, opened: Path, seed: int, steps: int, restart: int) -> None:
    """Random edits; every ``restart`` of them the texts are as at first again, so that they stay near to a kernel."""
    rng = random.Random(seed)
    cache, parsed, quiet = FactsCache(), ParsedFiles(), QuietRules()
    first = dict(files)
    for step in range(steps):
        if step % restart == 0:
            files = dict(first)
        path = rng.choice(list(files))
        files[path] = random_edit(files[path], rng)
        kept = analysed(files, opened, cache, parsed, quiet)
        fresh = analysed(files, opened, FactsCache(), ParsedFiles(), QuietRules())
        assert kept == fresh, f"seed {seed}, edit {step} in {path.name}"


OPERATOR = {"op_kernel/common.h": COMMON, "op_kernel/demo.cpp": KERNEL, "op_host/demo.cpp": HOST}


@pytest.mark.parametrize("seed", range(4))
def test_random_edits_of_an_operator_give_the_facts_of_a_fresh_analysis(tmp_path: Path, seed: int) -> None:
    files = opened_files(tmp_path, OPERATOR)
    check_edits(files, tmp_path / "op_kernel/demo.cpp", seed, 70, restart=6)


@pytest.mark.parametrize("seed", range(2))
def test_random_edits_of_a_class_without_entry_give_the_facts_of_a_fresh_analysis(tmp_path: Path, seed: int) -> None:
    check_edits(opened_files(tmp_path, {"lone.h": LONE}), tmp_path / "lone.h", seed, 60, restart=8)


@pytest.mark.parametrize("seed", (2, 11))
def test_half_typed_and_broken_text_gives_the_state_of_a_fresh_analysis(tmp_path: Path, seed: int) -> None:
    opened = tmp_path / "op_kernel/demo.cpp"
    files = opened_files(tmp_path, OPERATOR)
    assert run(files, lambda files, *kept: analysed(files, opened, *kept), seed, 24) is None


# What to replace in which file. None of them touches a line of the function whose facts change, but for the first.
DEPENDENCIES = {
    "a method that is called": ("op_kernel/demo.cpp", "wide[3]", "wide[5]"),
    "a method of the base class, defined outside": ("op_kernel/demo.cpp", "this->length = count", "this->length = 8"),
    "a method of the base class, in another file": ("op_kernel/common.h", "this->length * sizeof(T)", "4096"),
    "a constant": ("op_kernel/common.h", "BUFFERS = 2", "BUFFERS = 3"),
    "a constant that a new one hides":
        ("op_kernel/common.h", "#pragma once", "#pragma once\nconstexpr int BUFFERS = 4;"),
    "an enumerator before the one that is used": ("op_kernel/common.h", "PLAIN = 1, WIDE", "PLAIN = 1, NEW, WIDE"),
    "a macro": ("op_kernel/common.h", "queue.FreeTensor(tensor); ", ""),
    "an alias": ("op_kernel/demo.cpp", "using D = float", "using D = half"),
    "a field": ("op_kernel/common.h", "TQue<QuePosition::VECIN, BUFFERS> in", "TQue<QuePosition::A1, BUFFERS> in"),
    "a base class": ("op_kernel/demo.cpp", "class Scale : public Base<T>", "class Scale"),
    "a function that was not there":
        ("op_kernel/common.h", "template <typename T>", "void Exp(int a, int b, int c) {}\n\\g<0>"),
    "what a namesake in another class assigns": ("op_kernel/demo.cpp", "last = 0; }", "width = 0; }"),
    "what a namesake in another class can write to": ("op_kernel/demo.cpp", "uint32_t seen)", "uint32_t& seen)"),
    "whether a namesake of what a branch calls builds a kernel": ("op_kernel/demo.cpp", "int32_t n = 0;", "Twice n;"),
    "a tiling field": ("op_kernel/common.h", "uint32_t tile;", "int32_t tile;"),
    "a branch of the entry": ("op_kernel/demo.cpp", "Scale<half, PLAIN> op", "Scale<half, WIDE> op"),
    "a dtype column": ("op_host/demo.cpp", "ge::DT_FLOAT}", "ge::DT_BF16}"),
}  # fmt: skip


@pytest.mark.parametrize("name", DEPENDENCIES)
def test_facts_follow_what_they_depend_on(tmp_path: Path, name: str) -> None:
    file, old, new = DEPENDENCIES[name]
    files, opened = opened_files(tmp_path, OPERATOR), tmp_path / "op_kernel/demo.cpp"
    cache, parsed = FactsCache(), ParsedFiles()
    before = instances(files, opened, cache, parsed)
    source = files[tmp_path / file]
    at = source.data.index(old.encode())
    files[tmp_path / file] = source.with_edit(at, at + len(old.encode()), new.replace("\\g<0>", old))
    kept, fresh = instances(files, opened, cache, parsed), instances(files, opened, FactsCache(), ParsedFiles())
    assert kept == fresh
    assert kept != before, "the edit must matter, or this test shows nothing"


def instances(files: Files, opened: Path, cache: FactsCache, parsed: ParsedFiles) -> object:
    """What the kernel does, without places: an edit that only moves text leaves it the same."""
    texts = {path: source.data.decode() for path, source in files.items()}
    kernel = analyse_operator(discover(opened, texts, parsed), SOC, cache, files).kernel
    return [(run.label, run.dtypes, [spoken(event) for event in run.events()]) for run in kernel.instances]


def spoken(event: Event) -> object:
    """An event without its places."""
    values = [getattr(event, entry.name) for entry in fields(event) if entry.name not in ("site", "path", "calls")]
    return (type(event).__name__, re.sub(r"\(\d+, \d+\)", "", str(plain(values))))


def test_only_the_instance_that_an_edit_touches_is_walked_again(tmp_path: Path) -> None:
    files, opened = opened_files(tmp_path, OPERATOR), tmp_path / "op_kernel/demo.cpp"
    cache, parsed = FactsCache(), ParsedFiles()

    def bodies() -> dict[tuple[str, object], object]:
        texts = {path: source.data.decode() for path, source in files.items()}
        kernel = analyse_operator(discover(opened, texts, parsed), SOC, cache, files).kernel
        return {(run.label, run.dtypes): run.body for run in kernel.instances}

    for place in (b"BLOCK * 700", b"Twice op;"):  # a method, an arm of the entry
        before = bodies()
        source = files[opened]
        at = source.data.index(place)
        files[opened] = source.with_edit(at, at, "0; " if place.startswith(b"T") else "1 + ")
        after = bodies()
        walked = [label for label, body in after.items() if body is not before[label]]
        assert walked == [("Twice", ())]
