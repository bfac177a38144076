"""Facts that nobody needs any more, freed at once.

A loop holds its events and these, in their paths, the loop: such circles wait for Python's cycle collector, which then
looks at some hundred thousand objects to find out what is known here already.
"""

from __future__ import annotations

from ascendopt.analysis.facts.events import BranchNode, Event, Node
from ascendopt.analysis.facts.model import KernelModel


def take_apart(kernel: KernelModel) -> None:
    """Empty the trees of all instances, which are of no use then: reference counts free the rest."""
    stack: list[Node] = [node for instance in kernel.instances for node in instance.body]
    while stack:
        node = stack.pop()
        if isinstance(node, Event):
            continue
        if isinstance(node, BranchNode):
            for arm in node.arms:
                stack.extend(arm)
            node.arms = ()
        else:
            stack.extend(node.body)
            node.body = ()
