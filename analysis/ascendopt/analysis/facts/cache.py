"""Work that survives an edit: lowered function bodies by text, declarations by file version."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from ascendopt.analysis.facts.ir import Body

KeyT = TypeVar("KeyT")
ItemT = TypeVar("ItemT")


class BoundedCache(Generic[KeyT, ItemT]):
    """Least-recently-used table of at most ``limit`` items; may be shared by threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: OrderedDict[KeyT, ItemT] = OrderedDict()
        self._lock = Lock()

    def known(self, key: KeyT) -> ItemT | None:
        """The item of ``key`` if it is there."""
        with self._lock:
            return self._items.get(key)

    def get(self, key: KeyT, make: Callable[[], ItemT]) -> ItemT:
        """The item of ``key``, made when it is not there."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
                return self._items[key]
        item = make()
        with self._lock:
            self._items[key] = item
            if len(self._items) > self._limit:
                self._items.popitem(last=False)
        return item


BodyCache = BoundedCache[tuple[bytes, str], Body]
"""Lowered bodies by masked text and, where it has errors, syntax tree."""
