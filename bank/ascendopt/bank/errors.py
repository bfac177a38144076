"""The error of this layer: what a user can cause, in one sentence."""

from __future__ import annotations


class BankError(Exception):
    """A bank folder, a pack or a motif that cannot be used. The message says what, where and what to do."""
