"""Walks of functions that are reused: the same function, reading the same, does the same.

A kernel is walked once for each tiling key and dtype column, and a helper once for each call. Most of these walks
differ in nothing that the function looks at. ``SharingWalk`` notes what the walk of a function gave
(``record.Record``) under what it could read (``inputs.Inputs``), and puts a copy in its place when the same is asked
again (``replay.Replay``).

Two walks are equal when these are:

* the function, its template arguments, and whether its events are certain;
* its arguments, and of every object, structure and array that it can get at, the members and template arguments whose
  names stand in its text or in the text of anything that it may call (``reach.Reach``);
* the dtype macros that it asked for.

Numbers of unknowns and identities of tensors are equal when they are the same up to their numbering. The copy gets the
numbers, paths, call sites and positions in program order that the walk itself would have given: nobody can tell it from
one. What decides more than the function's own events is never shared: forks of the instance, tests of the tiling key,
kernels that are built, walks that came near a limit.
"""

from ascendopt.analysis.facts.sharing.walk import SharedWalks, SharingWalk

__all__ = ["SharedWalks", "SharingWalk"]
