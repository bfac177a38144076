"""Facts of an operator's two sides. Start at ``analyse_operator``; the data model is ``facts.operator_facts``: a
``facts.model`` of the kernel and a ``facts.tiling_model`` of the host."""

from ascendopt.analysis.facts.analyse import FactsCache, analyse_file, analyse_operator, macros_of
from ascendopt.analysis.facts.circles import take_apart
from ascendopt.analysis.facts.declared import (
    Argument,
    FunctionFact,
    PipeFact,
    QueueFact,
    Site,
    TemplateParam,
    TensorFact,
)
from ascendopt.analysis.facts.events import (
    ApiCall,
    ArmStep,
    BarrierEvent,
    BranchNode,
    BufferGetEvent,
    CallNode,
    CopyEvent,
    Event,
    ExitEvent,
    FlagEvent,
    InitBufferEvent,
    LoopNode,
    LoopStep,
    Node,
    PipeEvent,
    QueueEvent,
    ScalarAccess,
    Step,
    walk_events,
)
from ascendopt.analysis.facts.model import Instance, KernelModel, TilingRead
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.facts.tiling_model import HostCall, TilingModel, TilingSet

__all__ = [
    "ApiCall",
    "Argument",
    "ArmStep",
    "BarrierEvent",
    "BranchNode",
    "BufferGetEvent",
    "CallNode",
    "CopyEvent",
    "Event",
    "ExitEvent",
    "FactsCache",
    "FlagEvent",
    "FunctionFact",
    "HostCall",
    "InitBufferEvent",
    "Instance",
    "KernelModel",
    "LoopNode",
    "LoopStep",
    "Node",
    "OperatorFacts",
    "PipeEvent",
    "PipeFact",
    "QueueEvent",
    "QueueFact",
    "ScalarAccess",
    "Site",
    "Step",
    "TemplateParam",
    "TensorFact",
    "TilingModel",
    "TilingRead",
    "TilingSet",
    "analyse_file",
    "analyse_operator",
    "macros_of",
    "take_apart",
    "walk_events",
]
