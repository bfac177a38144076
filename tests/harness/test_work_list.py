"""op_summary files, and the order of operators by what there is to win."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest
from harness.fake_device import toy_case, write_toy_operator

from ascendopt.harness.devices.base import Roofline
from ascendopt.harness.evaluation import CaseResult, Evaluation, State
from ascendopt.harness.op_summary import EndToEnd, OpSummaryError, OpTime, read_op_summary
from ascendopt.harness.operator_copy import read_operator
from ascendopt.harness.target import Target
from ascendopt.harness.work_list import HeadRoom, WorkItem, head_room, ordered, work_item
from ascendopt.harness.workload import Workload

CSV = """\
Device_id,Model ID,Op Name,OP Type,Task Type,Task Duration(us),Block Dim
0,1,net/add,ScaledAdd,AI_VECTOR_CORE,30.5,40
0,1,net/add_1,ScaledAdd,AI_VECTOR_CORE,19.5,40
0,1,net/mish,Mish,AI_VECTOR_CORE,25.0,40
0,1,hcom_allReduce,N/A,COMMUNICATION,25,N/A
0,1,net/view,Reshape,N/A,N/A,N/A
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "op_summary_0.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_durations_add_up_by_type_and_all_count_for_the_total(tmp_path: Path) -> None:
    profile = read_op_summary(written(tmp_path, CSV))
    assert profile.total_us == 100.0
    assert profile.types["scaledadd"] == OpTime(2, 50.0)
    assert profile.share(("scaled_add",)) == (0.5, 2)
    # A byte order mark, as a spreadsheet leaves it, is no part of the first name.
    assert read_op_summary(written(tmp_path, "\ufeffOP Type,Task Duration(us)\nMish,1\n")).total_us == 1.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Op Name,Task Duration(us)\na,1\n", ":1: there is no column 'OP Type'"),
        ("OP Type,Duration\nMish,1\n", ":1: there is no column 'Task Duration(us)'"),
        ("OP Type,Task Duration(us)\nMish,1\nMish,fast\n", ":3: 'fast' is no duration"),
        ("OP Type,Task Duration(us)\nMish,-1\n", ":2: '-1' is no duration"),
        ("OP Type,Task Duration(us)\nMish,nan\n", ":2: 'nan' is no duration"),
        ("OP Type,Task Duration(us)\n", "has no row that took any time"),
    ],
)
def test_other_files_are_refused_with_their_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(OpSummaryError) as caught:
        read_op_summary(written(tmp_path, text))
    assert said in str(caught.value)


def timed(name: str, latency: float, least: float, launch: float = 0.0) -> CaseResult:
    roofline = Roofline({"hbm": least, "vector": least / 2}, 0.0, 0.0, 0.0)
    return CaseResult(name, True, latency_us=latency, launch_us=launch, roofline=roofline)


def test_room_is_what_lies_above_roofline_and_launch() -> None:
    workload = Workload((toy_case("a", (8,), weight=1.0), toy_case("b", (8,), weight=1.0)))
    # 20 us of which 8 are needed and 2 are the launch: a half; 40 us of which 5 are needed: seven eighths.
    cases = (timed("a", 20.0, 8.0, 2.0), timed("b", 40.0, 5.0))
    room = head_room(Evaluation(State.OK, (), cases), workload)
    assert room is not None and room.bound == "hbm"
    assert room.share == pytest.approx(1 - sqrt(1 / 2 * 1 / 8))
    assert head_room(Evaluation(State.OK, (), (CaseResult("a", True, latency_us=3.0),)), workload) is None


def test_the_most_to_win_comes_first_and_what_fails_last() -> None:
    items = [
        WorkItem("large_but_tight", 0.5, 1, HeadRoom(0.1, "hbm")),
        WorkItem("broken", 0.9, 1, None, "fails as it is: no"),
        WorkItem("small_with_room", 0.2, 3, HeadRoom(0.8, "vector")),
        WorkItem("absent", 0.0, 0, HeadRoom(0.9, "hbm")),
    ]
    names = [items[index].name for index in ordered(items)]
    assert names[:2] == ["small_with_room", "large_but_tight"]
    assert items[2].sentence() == (
        "small_with_room: 20.0% of the time in 3 calls, 80% of it above its roofline (vector): 16.0% to win"
    )
    assert "no run of it" in items[3].sentence() and "fails as it is" in items[1].sentence()


def test_an_operator_is_found_by_its_folder(tmp_path: Path) -> None:
    sources = read_operator(write_toy_operator(tmp_path / "toy_op"))
    target = Target(sources, Workload((toy_case("a", (8,)),)), "Ascend910B2", "test", None)
    profile = EndToEnd(10.0, {"toyop": OpTime(4, 2.5)})
    item = work_item(target, Evaluation(State.OK, (), (timed("a", 10.0, 4.0),)), profile)
    assert (item.share, item.calls) == (0.25, 4)
    assert item.worth == pytest.approx(0.25 * 0.6)
