"""Walks that are shared are the walks that there would be without: told apart by nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ascendopt.analysis.facts import (
    ApiCall,
    BranchNode,
    CallNode,
    Event,
    FactsCache,
    Instance,
    LoopNode,
    Node,
    analyse_file,
    analyse_operator,
    macros_of,
)
from ascendopt.analysis.facts.sharing import SharedWalks
from ascendopt.analysis.facts.sharing.replay import Replay
from ascendopt.analysis.operators import discover
from ascendopt.analysis.source import SourceFile

SOC = "Ascend910B2"
SAMPLES = Path(__file__).resolve().parents[3] / "samples"
HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'

HELPERS = """
struct Data { uint32_t total; uint32_t tile; };
template <typename T>
class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR x, const Data& data, TPipe* pipe)
    {
        total = data.total;
        tile = data.tile;
        xGm.SetGlobalBuffer((__gm__ T*)x, total);
        pipe->InitBuffer(in, 2, tile * sizeof(T));
        pipe->InitBuffer(work, tile * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t i = 0; i < total / tile; ++i) {
            Step(i * tile, tile);
        }
        Step(total / tile * tile, total % tile);
        LocalTensor<float> left = work.Get<float>();
        Sum(left, tile);
        Sum(left, tile);
        uint32_t seen = Last(total);
        DataCopy(left, left[seen], 8);
    }
private:
    __aicore__ inline void Step(uint32_t at, uint32_t count)
    {
        LocalTensor<T> x = in.template AllocTensor<T>();
        DataCopy(x, xGm[at], count);
        in.EnQue(x);
        LocalTensor<T> y = in.template DeQue<T>();
        if (count > 64) {
            Adds(y, y, (T)1, count);
        } else {
            for (uint32_t k = 0; k < count; ++k) { y.SetValue(k, (T)0); }
        }
        last = count;
        in.FreeTensor(y);
    }
    __aicore__ inline void Sum(const LocalTensor<float>& t, uint32_t count)
    {
        uint32_t rest = count;
        while (rest > 64) { rest = rest / 2; Add(t, t, t[rest], rest); }
        PipeBarrier<PIPE_V>();
        calls = calls + 1;
        WholeReduceSum(t, t, rest, 1, 1, 1, 8);
    }
    __aicore__ inline uint32_t Last(uint32_t limit)
    {
        uint32_t found = last;
        if (found > limit) { return limit; }
        for (uint32_t k = 0; k < 3; ++k) { found = found + calls; }
        return found;
    }
    TQue<QuePosition::VECIN, 2> in;
    TBuf<QuePosition::VECCALC> work;
    GlobalTensor<T> xGm;
    uint32_t total, tile, last, calls;
};
extern "C" __global__ __aicore__ void run(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(Data, data, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(1)) {
        Kernel<half> op;
        op.Init(x, data, &pipe);
        op.Process();
    } else if (TILING_KEY_IS(2)) {
        Kernel<half> op;
        op.Init(x, data, &pipe);
        op.Process();
        op.Process();
    } else if (TILING_KEY_IS(3)) {
        Kernel<float> op;
        op.Init(x, data, &pipe);
        op.Process();
    }
}
"""


def shown(instance: Instance) -> list[str]:
    """The whole tree, with everything that an event says and where steps of its path lead."""
    return list(_lines(instance.body, {}, ""))


def _lines(nodes: tuple[Node, ...], seen: dict[int, str], indent: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Event):
            steps = [seen[id(getattr(step, "loop", None) or getattr(step, "branch", None))] for step in node.path]
            yield f"{indent}{node!r} {steps}"
        elif isinstance(node, CallNode):
            yield f"{indent}call {node.call} {node.function}"
            yield from _lines(node.body, seen, indent + " ")
        elif isinstance(node, LoopNode):
            seen[id(node)] = f"loop {len(seen)}"
            said = (
                node.header,
                node.variable,
                node.trip,
                node.depth,
                node.loop_symbol,
                node.step,
                node.first,
                node.last,
            )
            yield f"{indent}{seen[id(node)]} {said}"
            yield from _lines(node.body, seen, indent + " ")
        else:
            assert isinstance(node, BranchNode)
            seen[id(node)] = f"branch {len(seen)}"
            yield f"{indent}{seen[id(node)]} {node.site} {node.conditions}"
            for arm in node.arms:
                yield f"{indent}arm"
                yield from _lines(arm, seen, indent + " ")


def instances(text: str) -> tuple[Instance, ...]:
    source = SourceFile.of(Path("k.cpp"), (HEAD + text).encode(), macros_of(SOC))
    return analyse_file(source, SOC, FactsCache()).instances


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions of which a record was used."""
    found: list[str] = []
    put = Replay.put

    def counted(self: Replay, frame: object, name: str) -> object:
        found.append(name)
        return put(self, frame, name)  # type: ignore[arg-type]

    monkeypatch.setattr(Replay, "put", counted)
    monkeypatch.setattr(SharedWalks, "is_worth", always)
    return found


def always(_shared: SharedWalks, _function: object) -> bool:
    return True


def never(_shared: SharedWalks, _function: object) -> bool:
    return False


def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, everything is walked."""
    monkeypatch.setattr(SharedWalks, "is_worth", never)


def test_calls_and_instances_that_repeat_are_the_same_as_when_walked(
    replays: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = instances(HELPERS)
    # Key 2 is key 1 until its second Process; there the last count is another, but Sum reads none of it.
    assert "Kernel::Process" in replays
    assert replays.count("Kernel::Sum") >= 2
    plain(monkeypatch)
    walked = instances(HELPERS)
    assert [one.key for one in shared] == [1, 2, 3]
    for left, right in zip(shared, walked, strict=True):
        assert shown(left) == shown(right)
        assert left.complete == right.complete
        assert left.tiling_reads == right.tiling_reads


def test_a_member_that_a_function_reads_decides(replays: list[str]) -> None:
    text = """
    class Kernel {
    public:
        __aicore__ inline void Process() { size = 32; Work(); size = 64; Work(); other = 3; Work(); }
        __aicore__ inline void Work() { LocalTensor<half> t; Adds(t, t, (half)1, size); Next(); }
        __aicore__ inline void Next() { LocalTensor<half> t; Muls(t, t, (half)1, size * 2); }
        uint32_t size; uint32_t other;
    };
    """
    (instance,) = instances(text)
    counts = [call.args[3].value for call in instance.of(ApiCall)]
    assert [one.constant() if one is not None else None for one in counts] == [32, 64, 64, 128, 64, 128]
    assert replays == ["Kernel::Work"]  # `other` is named by neither


def test_what_a_function_assigns_is_assigned_again(replays: list[str]) -> None:
    text = """
    class Kernel {
    public:
        __aicore__ inline void Process()
        {
            uint32_t n = 8; LocalTensor<half> t;
            for (uint32_t i = 0; i < 2; ++i) { Grow(n, 4); }
            n = 8; Grow(n, 4); Adds(t, t, (half)1, n + total);
            n = 8; total = 0; Grow(n, 4); Adds(t, t, (half)1, n + total);
            n = 8; total = 0; Grow(n, 4); Adds(t, t, (half)1, n + total);
        }
        __aicore__ inline void Grow(uint32_t& size, uint32_t by) { size = size + by; total = total + size; }
        uint32_t total;
    };
    """
    (instance,) = instances(text)
    first, *others = [call.args[3].value for call in instance.of(ApiCall)]
    assert first is not None and not first.is_constant  # the loop left `total` unknown
    assert [one.constant() for one in others if one is not None] == [24, 24]
    assert replays[-1] == "Kernel::Grow"


def test_macros_that_put_names_together_may_read_any_member(replays: list[str]) -> None:
    text = """
    #define SIZE(kind) kind##Size
    class Kernel {
    public:
        __aicore__ inline void Process() { rowSize = 32; Work(); rowSize = 64; Work(); }
        __aicore__ inline void Work() { LocalTensor<half> t; Adds(t, t, (half)1, SIZE(row)); }
        uint32_t rowSize;
    };
    """
    (instance,) = instances(text)
    counts = [call.args[3].value for call in instance.of(ApiCall)]
    assert [one.constant() if one is not None else None for one in counts] == [32, 64]
    assert replays == []


@pytest.mark.usefixtures("replays")
@pytest.mark.parametrize("name", sorted(one.name for one in SAMPLES.iterdir() if (one / "op_kernel").is_dir()))
def test_samples_are_the_same_with_and_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = analyse_operator(discover(SAMPLES / name), SOC).kernel
    plain(monkeypatch)
    walked = analyse_operator(discover(SAMPLES / name), SOC).kernel
    for left, right in zip(shared.instances, walked.instances, strict=True):
        assert shown(left) == shown(right)
