"""From a keystroke to diagnostics: a 3,000-line kernel file in the language server's session."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Line, percentile
from lsprotocol import converters, types

from ascendopt.server.features.diagnostics import diagnostics_of
from ascendopt.server.rule_pages import RulePages
from ascendopt.server.session import Session

KEYSTROKES = 120
LINES = 3000
KERNEL = """\
template <typename T>
class Kernel{n} {{
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const BenchTilingData& data, TPipe* pipe) {{
        const uint64_t start = data.coreLength * GetBlockIdx();
        this->length = data.totalLength - start < data.coreLength ? data.totalLength - start : data.coreLength;
        this->tile = data.tileLength;
        xGm.SetGlobalBuffer((__gm__ T*)x + start, this->length);
        yGm.SetGlobalBuffer((__gm__ T*)y + start, this->length);
        pipe->InitBuffer(inQueue, 2, {size} * sizeof(T));
        pipe->InitBuffer(outQueue, 2, {size} * sizeof(T));
        pipe->InitBuffer(work, {size} * sizeof(float));
    }}

    __aicore__ inline void Process() {{
        const uint64_t steps = (this->length + this->tile - 1) / this->tile;
        for (uint64_t step = 0; step < steps; ++step) {{
            const uint64_t left = this->length - step * this->tile;
            CopyIn(step * this->tile, left < this->tile ? left : this->tile);
            Compute(left < this->tile ? left : this->tile);
            CopyOut(step * this->tile, left < this->tile ? left : this->tile);
        }}
    }}

  private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t count) {{
        LocalTensor<T> x = inQueue.template AllocTensor<T>();
        DataCopyExtParams copy{{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}};
        DataCopyPadExtParams<T> pad{{false, 0, 0, 0}};
        DataCopyPad(x, xGm[at], copy, pad);
        inQueue.EnQue(x);
    }}

    __aicore__ inline void Compute(uint32_t count) {{
        LocalTensor<T> x = inQueue.template DeQue<T>();
        LocalTensor<T> y = outQueue.template AllocTensor<T>();
        LocalTensor<float> wide = work.Get<float>();
        Cast(wide, x, RoundMode::CAST_NONE, count);
        for (uint32_t power = 0; power < {power}; ++power) {{
            Mul(wide, wide, wide, count);
            Adds(wide, wide, 1.0f, count);
        }}
        Cast(y, wide, RoundMode::CAST_RINT, count);
        outQueue.template EnQue<T>(y);
        inQueue.FreeTensor(x);
    }}

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count) {{
        LocalTensor<T> y = outQueue.template DeQue<T>();
        DataCopyExtParams copy{{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}};
        DataCopyPad(yGm[at], y, copy);
        outQueue.FreeTensor(y);
    }}

    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    TBuf<QuePosition::VECCALC> work;
    GlobalTensor<T> xGm, yGm;
    uint64_t length = 0;
    uint32_t tile = 0;
}};
"""


def kernel_file() -> str:
    """A kernel of LINES lines: one class a tiling key."""
    classes = LINES // (KERNEL.count("\n") + 6)
    text = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
    text += (
        "struct BenchTilingData {\n    uint64_t totalLength;\n    uint64_t coreLength;\n    uint32_t tileLength;\n};\n"
    )
    text += "".join(KERNEL.format(n=n, size=1024 * (1 + n % 8), power=1 + n % 5) for n in range(classes))
    text += (
        'extern "C" __global__ __aicore__ void bench(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {\n'
        "    GET_TILING_DATA_WITH_STRUCT(BenchTilingData, data, tiling);\n    TPipe pipe;\n"
    )
    for n in range(classes):
        head = "if" if n == 0 else "} else if"
        text += f"    {head} (TILING_KEY_IS({n + 1})) {{\n        Kernel{n}<half> op;\n"
        text += "        op.Init(x, y, data, &pipe);\n        op.Process();\n"
    text += "    }\n}\n"
    return text + "// end of the file\n" * (LINES - text.count("\n"))


def lines() -> list[Line]:
    rng = random.Random(7)
    converter = converters.get_converter()
    text = kernel_file()
    with TemporaryDirectory() as folder:
        session = Session()
        session.engine.rule_pages = RulePages(Path(folder) / "rules")
        path = Path(folder) / "bench.cpp"
        path.write_text(text)
        item = types.TextDocumentItem(path.as_uri(), "cpp", 1, text)
        document = session.documents.open(item, session.macros)
        assert document is not None
        times: list[float] = []
        rows = text.split("\n")
        for version in range(2, KEYSTROKES + 2):
            # A digit is typed into a number of a random class, then the next one.
            row = rng.choice([n for n, line in enumerate(rows) if "sizeof(T));" in line])
            column = rows[row].index(" * sizeof(T));")
            rows[row] = f"{rows[row][:column]}1{rows[row][column:]}"
            position = types.Position(row, column)
            change = types.TextDocumentContentChangePartial(text="1", range=types.Range(position, position))
            start = time.process_time()
            document = session.documents.change(document.uri, version, [change])
            assert document is not None
            request = session.engine.request(document.source, {path: document.source}, session.settings, None)
            report = session.engine.analyse(request)
            json.dumps(converter.unstructure(diagnostics_of(session, document, report)))
            times.append(1000 * (time.process_time() - start))
            rows[row] = f"{rows[row][:column]}{rows[row][column + 1 :]}" if version % 2 else rows[row]
            if version % 2:
                back = types.Range(position, types.Position(row, column + 1))
                undo = types.TextDocumentContentChangePartial(text="", range=back)
                document = session.documents.change(document.uri, version, [undo])
                assert document is not None
        session.close()
    note = f"median {percentile(times, 0.5):.0f} ms, {text.count(chr(10))} lines, {KEYSTROKES} keystrokes"
    return [Line("keystroke to diagnostics, p95", percentile(times, 0.95), "ms CPU", 50, True, note)]
