"""What crosses between client and server beside standard LSP. `vscode-client/src/protocol.ts` is the twin."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    # At run time the probe must not pay for it: it is most of the server's start.
    from lsprotocol import types

# Raised when a message below changes so that an older client would misread it.
PROTOCOL_VERSION = 1

STATUS = "ascendopt/status"
TRIAL = "ascendopt/trial"
SEARCH = "ascendopt/search"
TILING_SEARCH = "ascendopt/tilingSearch"
PAUSE_SEARCH = "ascendopt/pauseSearch"
RESUME_SEARCH = "ascendopt/resumeSearch"
VERIFY = "ascendopt/verify"

COMMAND_TILING_SEARCH = "ascendopt.tilingSearch"
COMMAND_REFINE = "ascendopt.refineKernel"
COMMAND_OPTIMIZE = "ascendopt.optimizeOperator"
COMMAND_REWIND = "ascendopt.rewindOperator"
COMMAND_PAUSE = "ascendopt.pauseSearch"
COMMAND_RESUME = "ascendopt.resumeSearch"
COMMAND_VERIFY_AND_APPLY = "ascendopt.verifyAndApply"
COMMAND_APPLY_SEARCH_RESULT = "ascendopt.applySearchResult"

DIAGNOSTIC_SOURCE = "ascendopt"


class StatusParams(TypedDict):
    """`state` is `ready`, `busy` or `error`; `device` names the device and says whether it is modelled."""

    state: str
    message: str
    device: str
    version: str


class TrialParams(TypedDict):
    """One attempt of a search; times in microseconds, None where there is none.

    `state` is `ok`, `compile`, `incorrect`, `violation`, `timeout` or `failed`.
    """

    search: str
    attempt: int
    latency_us: float | None
    best_us: float | None
    baseline_us: float | None
    state: str
    note: str


class LearntMotif(TypedDict):
    """A motif that a rewind kept; `slowdown` is the time without it / the time with it."""

    id: str
    title: str
    symptom: str
    slowdown: float


class SearchResult(TypedDict):
    """The answer to `ascendopt/search` and `ascendopt/tilingSearch`.

    `method` is `tiling`, `refine`, `optimize` or `rewind`. `edit` is None when nothing faster was found; a rewind never
    has one: it learns `motifs`, which are in the folder `bank`.
    """

    search: str
    method: str
    speedup: float | None
    speedup_interval: tuple[float, float] | None
    baseline_us: float | None
    best_us: float | None
    attempts: int
    valid: int
    modelled: bool
    edit: types.WorkspaceEdit | None
    summary: str
    motifs: list[LearntMotif]
    bank: str


class PausedSearch(TypedDict):
    """The answer to `ascendopt/pauseSearch` and `ascendopt/resumeSearch`: whether the running search rests now.

    A search rests between attempts: the answer to the first comes when it does, with False when it was told to go on
    before, or ended.
    """

    paused: bool


class VerifyResult(TypedDict):
    """The answer to `ascendopt/verify`: what came of it in one sentence, which the server has shown as well."""

    applied: bool
    summary: str


def package_version() -> str:
    """Version of the installed package; `0+unknown` when it runs from an unpacked tree."""
    try:
        return version("ascendopt")
    except PackageNotFoundError:
        return "0+unknown"
