"""Reports come from the journal alone and say what it says."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from harness.episode_support import toy_episode
from harness.fake_device import FakeDevice, write_toy_operator
from rich.console import Console

from ascendopt.harness.cancelling import Cancelled, CancelToken
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.episode_result import EpisodeResult
from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.journal.events import JournalError
from ascendopt.harness.report.html import render_html
from ascendopt.harness.report.model import case_gain, read_report
from ascendopt.harness.report.terminal import render_report


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[EpisodeResult, Path]:
    folder = tmp_path_factory.mktemp("report")
    operator = write_toy_operator(folder / "<b>toy")
    device = FakeDevice(failure=lambda c: DeviceFailure("compile", "too <deep>") if c["BUFFER_NUM"] > 2 else None)
    result = toy_episode(operator, device, folder / "out", budget=16).run()
    # Only the journal and its artifacts may be needed.
    shutil.rmtree(operator)
    (folder / "moved").mkdir()
    for name in ("journal.jsonl", "artifacts"):
        shutil.move(folder / "out" / name, folder / "moved" / name)
    return result, folder / "moved"


def text_of(folder: Path) -> str:
    console = Console(width=200, no_color=True)
    with console.capture() as capture:
        console.print(render_report(read_report(folder)))
    return capture.get()


def test_the_report_has_the_figures_of_the_run(finished: tuple[EpisodeResult, Path]) -> None:
    result, folder = finished
    report = read_report(folder)
    assert result.best is not None
    assert report.speedup == result.best.speedup
    assert (report.attempts, report.valid) == (16, result.budget.valid)
    assert report.patch == result.patch
    row = report.rows[0]
    assert row.before.latency_us == pytest.approx(7.1385)
    assert row.speedup == pytest.approx(result.best.speedup, abs=1e-5)
    assert report.trials[-1].best == max(t.speedup or 0.0 for t in report.trials)
    bests = [trial.best for trial in report.trials]
    assert bests == sorted(bests)


def test_the_terminal_says_modelled_and_gives_before_and_after(finished: tuple[EpisodeResult, Path]) -> None:
    result, folder = finished
    text = text_of(folder)
    assert "modelled" in text and "7.14" in text and f"{result.best_us:.2f}" in text
    assert "16 attempts of 16" in text
    assert "Unseen shapes:" in text and "all correct" in text


@pytest.mark.parametrize(
    ("began", "said"),
    [
        ({"workers": 1, "executor": "local"}, "; 1 local worker; "),
        ({"workers": 3, "executor": "local"}, "; 3 local workers; "),
        ({"workers": 2, "executor": "ray"}, "; 2 workers of a Ray cluster; "),
        # As runs before there were executors to choose from.
        ({"workers": 2}, "; 2 workers; "),
    ],
)
@pytest.mark.parametrize(
    ("by", "ended"), [("tokens", ", then its tokens were spent, "), ("seconds", ", then its time was up, ")]
)
def test_terminal_and_page_say_where_it_ran_and_what_ended_it(
    finished: tuple[EpisodeResult, Path], tmp_path: Path, began: dict[str, Any], said: str, by: str, ended: str
) -> None:
    folder = tmp_path / "out"
    shutil.copytree(finished[1], folder)
    lines = (folder / "journal.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    changed = [{**event, "by": by} if event["event"] == "search-end" else event for event in events]
    assert changed != events
    (folder / "journal.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in changed))
    # The last run, of several, counts.
    runs = [{"workers": 7, "executor": "ray"}, began] if "executor" in began else [began]
    (folder / "seconds.jsonl").write_text("".join(f"{json.dumps(run)}\n" for run in runs))
    for text in (text_of(folder), render_html(read_report(folder))):
        assert said in text and ended in text


class Checker(HTMLParser):
    """Collects open tags, scripts and outside references."""

    VOID = frozenset({"meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag == "script" or any(k in ("src", "href") for k, _ in attrs):
            self.outside.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An SVG element that closes itself opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_self_contained_and_escaped(finished: tuple[EpisodeResult, Path]) -> None:
    page = render_html(read_report(finished[1]))
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.outside == []
    assert not re.search(r"https?:|url\(|@import", page)
    assert "default-src 'none'" in page
    assert "too &lt;deep&gt;" in page and "too <deep>" not in page
    assert "&lt;b&gt;toy" in page and "<b>toy" not in page
    # One mark for each attempt.
    assert len(re.findall(r"<circle", page)) == 16


def test_the_same_journal_gives_the_same_bytes(finished: tuple[EpisodeResult, Path], tmp_path: Path) -> None:
    first = render_html(read_report(finished[1]))
    shutil.copytree(finished[1], tmp_path / "copy")
    assert render_html(read_report(tmp_path / "copy")) == first


def test_a_stopped_run_has_a_report_too(tmp_path: Path) -> None:
    token = CancelToken()
    episode = toy_episode(write_toy_operator(tmp_path / "toy"), FakeDevice(), tmp_path / "out", budget=9)
    with pytest.raises(Cancelled):
        episode.run(cancel=token, on_trial=lambda event: token.cancel() if event.number == 2 else None)
    report = read_report(tmp_path / "out")
    assert not report.complete
    assert report.attempts == 2
    assert "--resume" in text_of(tmp_path / "out")
    assert "not finished" in render_html(report)


def test_gain_of_a_case_by_hand() -> None:
    before = CaseResult("a", latency_us=10.0, samples_us=(10.0, 20.0))
    after = CaseResult("a", latency_us=5.0, samples_us=(5.0, 16.0))
    # Ratios 2 and 1.25; the 2.5 percentile of two points is 1.25 + 0.025 * 0.75
    speedup, interval = case_gain(before, after)
    assert speedup == 2.0
    assert interval == pytest.approx((1.26875, 1.98125))


def test_a_folder_without_a_journal_or_with_a_lost_patch_is_one_sentence(
    tmp_path: Path, finished: tuple[EpisodeResult, Path]
) -> None:
    with pytest.raises(JournalError, match=r"holds no journal\.jsonl"):
        read_report(tmp_path)
    shutil.copy(finished[1] / "journal.jsonl", tmp_path)
    with pytest.raises(JournalError, match="patch is missing"):
        read_report(tmp_path)


def test_whatever_a_journal_says_is_shown_as_text(finished: tuple[EpisodeResult, Path], tmp_path: Path) -> None:
    attack = "\"><script>alert(1)</script><img src=x onerror=alert(1)>' & {{ 7 * 7 }} [bold red]\u202e"
    shutil.copytree(finished[1], tmp_path / "hostile")
    path = tmp_path / "hostile" / "journal.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(_poisoned(event, attack)) + "\n" for event in events))
    report = read_report(tmp_path / "hostile")
    page = render_html(report)
    checker = Checker()
    checker.feed(page)
    assert checker.open == [] and checker.outside == []
    assert set(checker.seen) <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "div", "span", "p", "ul", "li", "table"),
        *("tr", "th", "td", "code", "pre", "svg", "line", "text", "path", "circle"),
    }
    assert "<script" not in page and "<img" not in page and "49" not in page.split("<body>")[1].split("7 * 7")[1][:6]
    # As text it is there, in the heading, the trials and their reasons.
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 10
    assert "[bold red]" in text_of(tmp_path / "hostile")


def _poisoned(event: dict[str, Any], attack: str) -> dict[str, Any]:
    """Every free text of an event that a workspace or a candidate can choose, with ``attack`` at its end."""
    for key in ("note", "origin", "operator", "device", "sandbox", "method", "reference"):
        if isinstance(event.get(key), str):
            event[key] += attack
    if "genes" in event:
        event["genes"] = {f"{name}{attack}": f"{value}{attack}" for name, value in event["genes"].items()}
    for gate in event.get("evaluation", {}).get("gates", ()):
        gate["reason"] += attack if not gate["passed"] else ""
        gate["file"] = f"a{attack}" if not gate["passed"] else None
        gate["line"] = 3 if not gate["passed"] else None
    return event
