"""Kernel facts of small kernels, with expectations worked out by hand."""

from __future__ import annotations

from pathlib import Path

from ascendopt.analysis.facts import (
    ApiCall,
    BarrierEvent,
    BranchNode,
    CopyEvent,
    ExitEvent,
    FactsCache,
    FlagEvent,
    InitBufferEvent,
    Instance,
    KernelModel,
    PipeEvent,
    QueueEvent,
    ScalarAccess,
    analyse_file,
    macros_of,
)
from ascendopt.analysis.source import SourceFile
from ascendopt.analysis.values import evaluate, number

SOC = "Ascend910B2"
HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'


def facts(text: str, cache: FactsCache | None = None) -> KernelModel:
    return analyse_file(SourceFile.of(Path("k.cpp"), (HEAD + text).encode(), macros_of(SOC)), SOC, cache)


def only(model: KernelModel) -> Instance:
    (instance,) = model.instances
    return instance


SCALE = """
constexpr int32_t BUFFERS = 2;
template <typename T, uint32_t ROWS = 4>
class Scale {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t tile, TPipe* pipe)
    {
        this->tile = tile;
        xGm.SetGlobalBuffer((__gm__ T*)x, 1024);
        pipe->InitBuffer(in, BUFFERS, this->tile * sizeof(T));
        pipe->InitBuffer(out, BUFFERS, ROWS * 100 * sizeof(T));
        if constexpr (!std::is_same<T, float>::value) {
            pipe->InitBuffer(wide, AlignTo(tile, 64) * sizeof(float));
        }
    }
    __aicore__ inline void Process(uint32_t total)
    {
        for (uint32_t i = 0; i < total / tile; i++) {
            Load(i);
            Work();
        }
    }
private:
    __aicore__ inline uint32_t AlignTo(uint32_t n, uint32_t step) { return (n + step - 1) / step * step; }
    __aicore__ inline void Load(uint32_t i)
    {
        LocalTensor<T> a = in.AllocTensor<T>();
        DataCopy(a, xGm[i * tile], tile);
        in.EnQue(a);
    }
    __aicore__ inline void Work()
    {
        LocalTensor<T> a = in.DeQue<T>();
        Muls(a[16], a, (T)2, tile);
        in.FreeTensor(a);
    }
    TQue<QuePosition::VECIN, BUFFERS> in;
    TQue<QuePosition::VECOUT, BUFFERS> out;
    TBuf<TPosition::VECCALC> wide;
    GlobalTensor<T> xGm;
    uint32_t tile;
};
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, GM_ADDR ws, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(1)) {
        Scale<half> op;
        op.Init(x, y, t.tile, &pipe);
        op.Process(t.total);
    } else if (TILING_KEY_IS(2)) {
        Scale<float, 8> op;
        op.Init(x, y, t.tile, &pipe);
        op.Process(t.total);
    }
}
"""


def test_each_tiling_key_is_an_instance() -> None:
    model = facts(SCALE)
    assert [(i.label, i.key) for i in model.instances] == [("Scale<half>", 1), ("Scale<float,8>", 2)]
    assert [entry.name for entry in model.entries] == ["scale"]
    assert dict(model.constants)["BUFFERS"].constant() == 2


def test_buffers_are_traced_to_tiling_fields() -> None:
    half, single = facts(SCALE).instances
    assert [(e.queue.name if e.queue else "", e.num.constant()) for e in half.of(InitBufferEvent)] == [
        ("in", 2),
        ("out", 2),
        ("wide", 1),
    ]
    case = {"tiling.tile": 100}
    # half: 2 x 200 -> 2 x 224; 4 x 100 x 2 = 800 -> 2 x 800; AlignTo(100, 64) x 4 = 512
    assert [evaluate(e.total, case) for e in half.of(InitBufferEvent)] == [448, 1600, 512]
    # float: no cast buffer; 2 x 400 -> 2 x 416; 8 x 100 x 4 = 3200
    assert [evaluate(e.total, case) for e in single.of(InitBufferEvent)] == [832, 6400]


def test_spans_are_those_of_the_file() -> None:
    model = facts(SCALE)
    event = model.instances[0].of(InitBufferEvent)[0]
    text = (HEAD + SCALE).encode()
    assert text[event.site.span.start : event.site.span.end].startswith(b"pipe->InitBuffer(in")
    assert text[event.length_span.start : event.length_span.end] == b"this->tile * sizeof(T)"
    assert event.site.function == "Scale::Init"
    assert event.queue is not None
    assert text[event.queue.site.span.start : event.queue.site.span.end] == b"in"


def test_queue_events_carry_one_handle_per_tensor() -> None:
    events = facts(SCALE).instances[0].of(QueueEvent)
    assert [event.op for event in events] == ["AllocTensor", "EnQue", "DeQue", "FreeTensor"]
    alloc, enque, deque, free = events
    assert alloc.handle == enque.handle
    assert deque.handle == free.handle != alloc.handle
    assert all(event.in_loop for event in events)
    assert {event.queue.name for event in events if event.queue} == {"in"}


def test_copies_and_calls_know_their_operands() -> None:
    instance = facts(SCALE).instances[1]
    (copy,) = instance.of(CopyEvent)
    assert (copy.direction, copy.element) == ("in", "float")
    assert copy.bytes is not None and evaluate(copy.bytes, {"tiling.tile": 12}) == 48
    (trip,) = [step.trip for step in copy.loops]
    assert trip is not None and evaluate(trip, {"tiling.total": 700, "tiling.tile": 100}) == 7
    (muls,) = [event for event in instance.of(ApiCall) if event.name == "Muls"]
    target = muls.args[0].tensor
    assert target is not None and target.offset is not None
    assert target.offset.constant() == 16 * 4
    assert target.queue is not None and target.position == "VECIN"


def test_declarations() -> None:
    model = facts(SCALE)
    assert [(q.name, q.kind, q.positions) for q in model.queues] == [
        ("in", "TQue", ("VECIN",)),
        ("out", "TQue", ("VECOUT",)),
        ("wide", "TBuf", ("VECCALC",)),
    ]
    assert model.queues[0].depth is not None and model.queues[0].depth.constant() == 2
    assert [(pipe.name, pipe.where, pipe.owner) for pipe in model.pipes] == [("pipe", "local", "scale")]


# ------------------------------------------------------------------ smaller things


def body(statements: str, members: str = "") -> Instance:
    text = (
        "class K {\npublic:\n__aicore__ inline void Run(uint32_t n) {\n" + statements + "\n}\n" + members + "\n"
        "TPipe pipe; TQue<TPosition::VECIN, 1> q; TBuf<> b; GlobalTensor<half> gm;\n};\n"
        "__global__ __aicore__ void k(GM_ADDR x, uint32_t n) { K op; op.Run(n); }\n"
    )
    return only(facts(text))


def test_parameter_structs_by_braces_fields_and_constructor() -> None:
    instance = body(
        "LocalTensor<half> a = b.Get<half>();\n"
        "DataCopyParams p; p.blockCount = 3; p.blockLen = n / 16;\n"
        "DataCopy(a, gm, p);\n"
        "DataCopyParams r{2, 5, 0, 0}; DataCopy(a, gm, r);\n"
        "DataCopyExtParams e(4, n * 2, 0, 0, 0); DataCopyPad(gm, a, e);\n"
        "DataCopyPad(a, gm, {1, 200, 0, 0, 0}, {false, 0, 0, 0});\n"
    )
    copies = instance.of(CopyEvent)
    # DataCopy counts blocks of 32 bytes, DataCopyPad counts bytes.
    sizes = [evaluate(copy.bytes, {"arg.n": 64}) if copy.bytes is not None else None for copy in copies]
    assert sizes == [3 * 4 * 32, 2 * 5 * 32, 4 * 128, 200]
    assert [copy.direction for copy in copies] == ["in", "in", "out", "in"]


def test_bare_braces_are_the_structure_that_they_fill() -> None:
    instance = body(
        "LocalTensor<half> a = b.Get<half>();\n"
        "DataCopy(a, gm, {16, 3, 5, 0});\n"
        "DataCopy(gm, a, {.blockCount = 2, .blockLen = 1});\n"
        "DataCopy(a, gm, {1, 8, 64, 0, 64, 8, 1, 0});\n"
        "DataCopy(a, gm, {16, 3});\n"
    )
    rows, named, matrix, unclear = [copy.args[2] for copy in instance.of(CopyEvent)]
    assert (rows.struct, rows.field("srcStride"), rows.field("dstStride")) == ("DataCopyParams", number(5), number(0))
    assert (named.struct, named.field("blockCount")) == ("DataCopyParams", number(2))
    assert (matrix.struct, matrix.field("dValue")) == ("Nd2NzParams", number(64))
    assert unclear.struct is None


def test_branches_join_and_known_ones_disappear() -> None:
    instance = body(
        "uint32_t size = 64;\n"
        "if (n > 10) { size = 128; }\n"
        "if (BIG == 1) { size = size * 2; } else { pipe.InitBuffer(b, 1); }\n"
        "pipe.InitBuffer(b, size);\n",
        "static constexpr int BIG = 1;",
    )
    (event,) = instance.of(InitBufferEvent)
    assert evaluate(event.length, {"arg.n": 11}) == 256
    assert evaluate(event.length, {"arg.n": 10}) == 128
    assert event.length.upper_bound() == 256
    assert event.length.is_multiple_of(128)


def test_elements_of_an_array_join_and_are_forgotten_like_variables() -> None:
    instance = body(
        "uint32_t sizes[2] = {64, 32}; uint32_t counts[2] = {1, 2};\n"
        "if (n > 10) { sizes[0] = 128; }\n"
        "for (uint32_t i = 0; i < n; ++i) { counts[0] += 1; }\n"
        "pipe.InitBuffer(b, sizes[0]); pipe.InitBuffer(b, sizes[1]); pipe.InitBuffer(b, counts[0]);\n"
    )
    joined, kept, changed = instance.of(InitBufferEvent)
    assert evaluate(joined.length, {"arg.n": 11}) == 128
    assert evaluate(joined.length, {"arg.n": 10}) == 64
    assert kept.length.constant() == 32
    assert not changed.length.is_known


def test_a_loop_forgets_what_it_changes() -> None:
    instance = body(
        "uint32_t at = 0; const uint32_t step = 8;\n"
        "for (uint32_t i = 0; i < 4; ++i) { gm.GetValue(at); gm.GetValue(step); at += step; }\n"
        "gm.GetValue(at);\n"
    )
    first, second, last = [event.index for event in instance.of(ScalarAccess)]
    assert first is not None and not first.is_known
    assert second is not None and second.constant() == 8
    assert last is not None and not last.is_known


def test_loop_trips() -> None:
    instance = body(
        "for (int i = 10; i > 0; i -= 3) { PipeBarrier<PIPE_ALL>(); }\n"
        "for (int j = 2; j <= 9; j++) { PipeBarrier<PIPE_V>(); }\n"
        "while (n > 0) { pipe_barrier(PIPE_MTE2); n--; }\n"
        "for (int z = 0; z < 0; z++) { PipeBarrier<PIPE_S>(); }\n"
    )
    barriers = instance.of(BarrierEvent)
    assert [barrier.pipe for barrier in barriers] == ["PIPE_ALL", "PIPE_V", "PIPE_MTE2"]
    trips = [barrier.loops[0].trip for barrier in barriers]
    assert [trip.constant() if trip is not None else None for trip in trips] == [4, 8, None]


def test_flags() -> None:
    instance = body(
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0); WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);\n"
        "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n"
    )
    assert [(e.name, e.event, e.flag) for e in instance.of(FlagEvent)] == [
        ("SetFlag", "MTE2_V", "EVENT_ID0"),
        ("WaitFlag", "MTE2_V", "EVENT_ID0"),
        ("set_flag", "V_MTE3", "EVENT_ID1"),
    ]


def test_an_undecided_branch_keeps_both_arms_in_the_tree() -> None:
    instance = body(
        "LocalTensor<half> a = q.AllocTensor<half>();\nif (n == 0) { q.FreeTensor(a); return; }\nq.EnQue(a);\n"
    )
    run = instance.body[-1]
    assert not isinstance(run, (BranchNode, ExitEvent))
    inner = run.body
    (branch,) = [node for node in inner if isinstance(node, BranchNode)]
    assert [len(arm) for arm in branch.arms] == [2, 0]
    condition = branch.conditions[0]
    assert condition is not None and evaluate(condition, {"arg.n": 0}) == 1
    (exit_event,) = instance.of(ExitEvent)
    assert exit_event.kind == "return"
    assert instance.complete


def test_helpers_with_reference_parameters_are_followed() -> None:
    text = """
template <typename T> __aicore__ inline LocalTensor<T> Take(TQue<TPosition::VECIN, 1>& from) { return from.DeQue<T>(); }
__aicore__ inline void Double(uint32_t& n) { n = n * 2; }
class K {
public:
    __aicore__ inline void Run() {
        uint32_t n = 3;
        Double(n);
        LocalTensor<int32_t> t = Take<int32_t>(q);
        Adds(t, t, 1, n);
        q.FreeTensor(t);
    }
    TQue<TPosition::VECIN, 1> q;
};
__global__ __aicore__ void k(GM_ADDR x) { K op; op.Run(); }
"""
    instance = only(facts(text))
    taken, freed = instance.of(QueueEvent)
    assert (taken.op, freed.op) == ("DeQue", "FreeTensor")
    assert taken.handle == freed.handle
    (adds,) = [event for event in instance.of(ApiCall) if event.name == "Adds"]
    assert adds.args[3].value is not None and adds.args[3].value.constant() == 6
    assert adds.args[0].tensor is not None and adds.args[0].tensor.element == "int32_t"


def test_dispatch_macros_base_classes_and_function_arguments() -> None:
    text = """
#define RUN(kernel, ...) do { kernel<__VA_ARGS__> op; op.Init(x, &t); op.Process(); } while (0)
#define ROUND(a, b) (((a) + (b) - 1) / (b) * (b))
template <typename T> class Base {
protected:
    __aicore__ inline void Setup(const MyTilingData* t)
    {
        length = ROUND(t->count, 16);
        pipe.InitBuffer(q, 1, length * sizeof(T));
    }
    TPipe pipe; TQue<TPosition::VECIN, 1> q; uint32_t length = 0;
};
template <typename T, void (*F)(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&)>
class Unary : public Base<T> {
public:
    using Parent = Base<T>;
    __aicore__ inline void Init(GM_ADDR x, const MyTilingData* t) { Parent::Setup(t); }
    __aicore__ inline void Process() {
        auto a = this->q.template AllocTensor<T>();
        F(a, a, this->length);
        this->q.FreeTensor(a);
    }
};
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR ws, GM_ADDR tiling) {
    GET_TILING_DATA(t, tiling);
    if (TILING_KEY_IS(10)) { RUN(Unary, half, Exp); }
    else if (TILING_KEY_IS(20)) { RUN(Unary, float, Ln); }
}
"""
    ten, twenty = facts(text).instances
    assert (ten.key, twenty.key) == (10, 20)
    for instance, name, size in ((ten, "Exp", 2), (twenty, "Ln", 4)):
        (buffer,) = instance.of(InitBufferEvent)
        assert evaluate(buffer.length, {"tiling.count": 17}) == 32 * size
        assert [event.name for event in instance.of(ApiCall)] == [name]


def test_a_pipe_inside_the_class() -> None:
    model = facts("class K { public: TPipe pipe; };\n__global__ __aicore__ void k(GM_ADDR x) { K op; TPipe second; }\n")
    assert sorted((pipe.name, pipe.where, pipe.owner) for pipe in model.pipes) == [
        ("pipe", "member", "K"),
        ("second", "local", "k"),
    ]
    assert [event.op for event in only(model).of(PipeEvent)] == ["create", "create"]


def test_a_class_without_an_entry_is_walked_with_free_symbols() -> None:
    model = facts(
        "template <typename T> class K { public:\n"
        "__aicore__ inline void Init(GM_ADDR x, uint32_t n) { pipe.InitBuffer(b, n * sizeof(T)); }\n"
        "TPipe pipe; TBuf<TPosition::VECCALC> b; };\n"
    )
    instance = only(model)
    assert instance.is_synthetic
    (event,) = instance.of(InitBufferEvent)
    assert evaluate(event.length, {"arg.n": 10, "sizeof(T)": 4}) == 40


def test_broken_code_still_gives_facts() -> None:
    model = facts(SCALE.replace("in.EnQue(a);", "in.EnQue(a").replace("DataCopy(a, xGm", "DataCopy(a,, xGm"))
    assert any(instance.of(InitBufferEvent) for instance in model.instances)


def test_runaway_recursion_ends_and_is_marked() -> None:
    instance = only(
        facts(
            "__aicore__ inline int Down(int n) { if (n == 0) { return 0; } return Down(n - 1); }\n"
            "__global__ __aicore__ void k(GM_ADDR x, int n) { TPipe pipe; Down(n); }\n"
        )
    )
    assert not instance.complete


def test_an_edit_gives_the_same_facts_as_a_fresh_analysis() -> None:
    cache = FactsCache()
    source = SourceFile.of(Path("k.cpp"), (HEAD + SCALE).encode(), macros_of(SOC))
    analyse_file(source, SOC, cache)
    for old, new in ((b"ROWS * 100", b"ROWS * 1000"), (b"private:", b"// moved down\nprivate:"), (b"(T)2", b"(T)4")):
        at = source.data.index(old)
        source = source.with_edit(at, at + len(old), new)
        edited = analyse_file(source, SOC, cache)
        fresh = analyse_file(SourceFile.of(Path("k.cpp"), source.data, macros_of(SOC)), SOC)
        for left, right in zip(edited.instances, fresh.instances, strict=True):
            assert [(e.site, type(e)) for e in left.events()] == [(e.site, type(e)) for e in right.events()]
            assert left.of(InitBufferEvent) == right.of(InitBufferEvent)
