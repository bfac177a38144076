"""Shared by the server's tests: a session with documents, without a client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

from ascendopt.server.documents import Document
from ascendopt.server.engine import Report
from ascendopt.server.rule_pages import RulePages
from ascendopt.server.session import Session

# Buffers of 2 x 6400 and 1 x 12800 elements: 2 * 12800 + 51200 = 76800 bytes. The second FreeTensor is wrong.
KERNEL = """\
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t TILE = 6400;
class Doubler {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, TPipe* pipe) {
        xGm.SetGlobalBuffer((__gm__ half*)x, TILE);
        yGm.SetGlobalBuffer((__gm__ half*)y, TILE);
        pipe->InitBuffer(inQueue, 2, TILE * sizeof(half));
        pipe->InitBuffer(work, 12800 * sizeof(float));
    }
    __aicore__ inline void Process() {
        LocalTensor<half> in = inQueue.AllocTensor<half>();
        DataCopy(in, xGm, TILE);
        inQueue.EnQue(in);
        LocalTensor<half> out = inQueue.DeQue<half>();
        DataCopy(yGm, out, TILE);
        inQueue.FreeTensor(out);
        inQueue.FreeTensor(out);
    }
private:
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> inQueue;
    TBuf<TPosition::VECCALC> work;
    GlobalTensor<half> xGm, yGm;
};
extern "C" __global__ __aicore__ void doubler(GM_ADDR x, GM_ADDR y) {
    TPipe pipe;
    Doubler op;
    op.Init(x, y, &pipe);
    op.Process();
}
"""

Opener = Callable[[str, str], tuple[Document, Report]]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session whose rule pages go to a temporary folder."""
    made = Session()
    made.engine.rule_pages = RulePages(tmp_path / "rules")
    return made


@pytest.fixture
def opened(session: Session, tmp_path: Path) -> Opener:
    """Opens a text as version 1 of a file and analyses it."""

    def open_text(name: str, text: str) -> tuple[Document, Report]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        item = types.TextDocumentItem(path.as_uri(), "cpp", 1, text)
        document = session.documents.open(item, session.macros)
        assert document is not None
        request = session.engine.request(document.source, {document.path: document.source}, session.settings, None)
        return document, session.engine.analyse(request)

    return open_text
