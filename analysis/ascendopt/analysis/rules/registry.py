"""The table of rules: product code -> module. A new rule is one module and one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ascendopt.analysis.rules.rule import Rule

MODULES = {
    "ASC-MEM001": "mem001",
    "ASC-MEM002": "mem002",
    "ASC-MEM003": "mem003",
    "ASC-MEM004": "mem004",
    "ASC-MEM005": "mem005",
    "ASC-MEM006": "mem006",
    "ASC-MEM008": "mem008",
    "ASC-MEM009": "mem009",
    "ASC-MEM010": "mem010",
    "ASC-MEM011": "mem011",
    "ASC-MEM012": "mem012",
    "ASC-ALN001": "aln001",
    "ASC-ALN002": "aln002",
    "ASC-ALN003": "aln003",
    "ASC-ALN004": "aln004",
    "ASC-ALN005": "aln005",
    "ASC-ALN006": "aln006",
    "ASC-ALN007": "aln007",
    "ASC-ALN008": "aln008",
    "ASC-ALN009": "aln009",
    "ASC-ALN010": "aln010",
    "ASC-ALN011": "aln011",
    "ASC-ALN012": "aln012",
    "ASC-ALN013": "aln013",
    "ASC-ALN014": "aln014",
    "ASC-ALN015": "aln015",
    "ASC-ALN016": "aln016",
    "ASC-ALN017": "aln017",
    "ASC-ALN018": "aln018",
    "ASC-ALN019": "aln019",
    "ASC-ALN020": "aln020",
    "ASC-RNG001": "rng001",
    "ASC-RNG002": "rng002",
    "ASC-RNG003": "rng003",
    "ASC-RNG004": "rng004",
    "ASC-RNG005": "rng005",
    "ASC-RNG006": "rng006",
    "ASC-RNG007": "rng007",
    "ASC-RNG008": "rng008",
    "ASC-RNG009": "rng009",
    "ASC-RNG010": "rng010",
    "ASC-RNG011": "rng011",
    "ASC-RNG012": "rng012",
    "ASC-RNG013": "rng013",
    "ASC-RNG014": "rng014",
    "ASC-RNG015": "rng015",
    "ASC-RNG016": "rng016",
    "ASC-RNG017": "rng017",
    "ASC-RNG018": "rng018",
    "ASC-RNG019": "rng019",
    "ASC-RNG020": "rng020",
    "ASC-RNG021": "rng021",
    "ASC-RNG022": "rng022",
    "ASC-RNG023": "rng023",
    "ASC-RNG024": "rng024",
    "ASC-RNG025": "rng025",
    "ASC-RNG026": "rng026",
    "ASC-RNG027": "rng027",
    "ASC-MSK001": "msk001",
    "ASC-MSK002": "msk002",
    "ASC-MSK003": "msk003",
    "ASC-MSK004": "msk004",
    "ASC-MSK005": "msk005",
    "ASC-OVL003": "ovl003",
    "ASC-OVL004": "ovl004",
    "ASC-OVL005": "ovl005",
    "ASC-DTY001": "dty001",
    "ASC-DTY002": "dty002",
    "ASC-DTY003": "dty003",
    "ASC-DTY004": "dty004",
    "ASC-DTY005": "dty005",
    "ASC-DTY006": "dty006",
    "ASC-DTY007": "dty007",
    "ASC-DTY008": "dty008",
    "ASC-DTY009": "dty009",
    "ASC-DTY010": "dty010",
    "ASC-TMP001": "tmp001",
    "ASC-TMP002": "tmp002",
    "ASC-TMP003": "tmp003",
    "ASC-TMP004": "tmp004",
    "ASC-TMP006": "tmp006",
    "ASC-QUE001": "que001",
    "ASC-QUE002": "que002",
    "ASC-QUE003": "que003",
    "ASC-QUE004": "que004",
    "ASC-QUE005": "que005",
    "ASC-QUE006": "que006",
    "ASC-QUE007": "que007",
    "ASC-QUE008": "que008",
    "ASC-QUE009": "que009",
    "ASC-QUE010": "que010",
    "ASC-QUE011": "que011",
    "ASC-QUE013": "que013",
    "ASC-SYN001": "syn001",
    "ASC-SYN002": "syn002",
    "ASC-SYN003": "syn003",
    "ASC-SYN004": "syn004",
    "ASC-SYN005": "syn005",
    "ASC-SYN006": "syn006",
    "ASC-SYN007": "syn007",
    "ASC-SYN008": "syn008",
    "ASC-SYN009": "syn009",
    "ASC-SYN010": "syn010",
    "ASC-SYN011": "syn011",
    "ASC-SYN012": "syn012",
    "ASC-XCR001": "xcr001",
    "ASC-XCR002": "xcr002",
    "ASC-XCR003": "xcr003",
    "ASC-XCR004": "xcr004",
    "ASC-XCR005": "xcr005",
    "ASC-XCR006": "xcr006",
    "ASC-XCR007": "xcr007",
    "ASC-XCR008": "xcr008",
    "ASC-XCR009": "xcr009",
    "ASC-XCR010": "xcr010",
    "ASC-ATM001": "atm001",
    "ASC-ATM003": "atm003",
    "ASC-ATM004": "atm004",
    "ASC-CUB001": "cub001",
    "ASC-CUB002": "cub002",
    "ASC-CUB003": "cub003",
    "ASC-CUB004": "cub004",
    "ASC-CUB005": "cub005",
    "ASC-CUB007": "cub007",
    "ASC-PRF001": "prf001",
    "ASC-PRF002": "prf002",
    "ASC-PRF003": "prf003",
    "ASC-PRF009": "prf009",
    "ASC-PRF010": "prf010",
    "ASC-PRF011": "prf011",
    "ASC-PRF018": "prf018",
    "ASC-PRF019": "prf019",
    "ASC-PRF021": "prf021",
    "ASC-MIS001": "mis001",
    "ASC-MIS003": "mis003",
    "ASC-MIS004": "mis004",
    "ASC-MIS005": "mis005",
    "ASC-MIS007": "mis007",
    "ASC-MIS008": "mis008",
    "ASC-MIS009": "mis009",
    "ASC-MIS010": "mis010",
    "ASC-REG001": "reg001",
    "ASC-SUP001": "sup001",
    "ASC-SUP002": "sup002",
}


class UnknownRule(Exception):
    """No rule has this code; the message is one sentence for the user."""


def codes() -> tuple[str, ...]:
    """All product codes, in the order of the table."""
    return tuple(MODULES)


def canonical(code: str) -> str:
    """``mem001``, ``MEM001`` and ``ASC-MEM001`` all name ``ASC-MEM001``. Raises UnknownRule."""
    name = code.strip().upper()
    name = name if name.startswith("ASC-") else f"ASC-{name}"
    if name not in MODULES:
        raise UnknownRule(f"no rule is called {code!r}; `ascendopt explain --all` lists them")
    return name


@cache
def rule(code: str) -> Rule:
    """The rule behind ``code``. Raises UnknownRule."""
    return import_module(f"{__package__}.{MODULES[canonical(code)]}").RULE
