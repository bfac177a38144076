"""The words in which a slow form admits that it was made slow.

Taken from reading what language models write when they are asked to make a kernel slower. ``STRICT`` never occurs in a
kernel that was written to be fast; ``LOOSE`` can, and counts only in text that the edit removes.
"""

from __future__ import annotations

import re

_ON_PURPOSE = (
    r"intentional|deliberate|on purpose|purpose(?:ly|fully)|artificial|\bfake\b|wasteful|\bto simulate\b"
    r"|\bsimulat(?:e|es|ing) (?:a |an |the |more |extra )?(?:slow|load|work|delay|laten|bad|poor|contention|overhead)"
    r"|degrad|slow(?:s|ed|ing)? (?:it |things |this |the kernel )?down|pessimi[sz]|de-?opt(?:imi[sz]\w*)?\b"
    r"|throttl|cripple|worsen|stalls? (?:the )?throughput|throughput drop|故意|人为|降低(?:效率|性能)"
    r"|(?:reduce|lower|kill|drop|hurt)s? (?:the )?(?:performance|throughput|parallelism|utili[sz]ation|bandwidth"
    r"|efficiency|occupancy)"
)
_FORCED = (
    r"\bforc(?:e|es|ed|ing|ibly)\b[^.]*\b(?:singl\w*|one|1|small\w*|tiny|serial\w*|scalar|core|cores|tile|tiles"
    r"|tiling|narrow\w*|more|extra|redundant|slow\w*|element\w*|minimum|minimal|un\w+|sequential\w*|chunk\w*)\b"
)
_FORCED_ELSE = (
    r"\bforc(?:e|es|ed|ing|ibly)\b[^.]*\b(?:sync\w*|every|each|per|byte\w*|only|full|barrier|wait|block\w*|buffer\w*"
    r"|short\w*|low\w*|no|repeated|fine\w*|depth)\b"
)
_WORSE = (
    r"dummy|useless|\bwast(?:e|ing)\b|sub-?optimal|inefficien|under-?utili[sz]|penali[sz]"
    r"|slow(?:er|[- ](?:path|version))|\bworst\b|\btiny\b|redundan|unnecessar|repeatedly"
)
_UNDONE = (
    r"(?:disabl|suppress|eliminat|defeat|break|prevent|avoid|bypass|undo|remov|los)(?:e|es|ed|ing|s)? "
    r"(?:the |any |all )?(?:original |original's )?(?:double|ping|pipelin|overlap|parallel|multi-?core|vectori"
    r"|optimi[sz]|single-pass|fast|wide|tiling|concurren|reuse|batch|hoist)"
    r"|\b(?:avoid|remove|eliminate|skip|ignor|without)\w* (?:[\w,-]+ ){0,4}"
    r"(?:optimi[sz]|large[- r]|aggressive|efficient)"
    r"|\bto (?:\w+ )?(?:disable|break|drop|defeat|kill|cap)\b|avoid the larger"
)
_MORE_OF_IT = (
    r"(?:increase|add|adds|increasing|adding) (?:[\w/-]+ ){0,2}(?:overhead|loop|iteration|round|traffic|latenc)"
    r"|runs? more iterations|loses? vector"
    r"|\b(?:cap|clamp|limit|shrink|collapse)\b.*\b(?:small|single|minimal|minimum|one|vector width)\b"
    r"|to reduce [\w -]*(?:efficien|burst|per-iteration)|limit(?:s)? (?:the )?(?:parallelism|overlap|throughput)"
    r"|re-?(?:comput|calculat|initiali[sz]|load)\w* (?:\w+ ){0,4}(?:every|each|again)"
)
_INSTEAD = (
    r"instead of (?:re-?us|us(?:ing|e) (?:the|all|multi|vector|a (?:single|full|cached|hoisted|wide))|hoist|cach"
    r"|pre-?comput|vector|batch|the (?:original|full|fast|cached|hoisted|wide)|doubl|pipelin|overlap|distribut"
    r"|splitting|parallel)"
)

STRICT = re.compile("|".join((_ON_PURPOSE, _FORCED)), re.IGNORECASE)
LOOSE = re.compile("|".join((_FORCED_ELSE, _WORSE, _UNDONE, _MORE_OF_IT, _INSTEAD)), re.IGNORECASE)
NAMES = re.compile(
    r"\b\w*(?:DEGRADED|FORCED_(?:UB|TILE|SMALL|SINGLE|CORE)|FORCE_(?:UB|TILE|SMALL|SINGLE)|PESSIM)\w*\b", re.IGNORECASE
)
"""Names of variables and constants that admit it."""
