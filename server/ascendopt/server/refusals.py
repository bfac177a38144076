"""Answers that are errors on purpose; the client shows their sentence."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException


class ContentModified(JsonRpcException):
    """The document moved on while a request was answered: clients ask again, or drop the request."""

    CODE = types.LSPErrorCodes.ContentModified
    MESSAGE = "The document changed"


class RequestFailed(JsonRpcException):
    """The request is fine but can't be met; the message is one sentence for the user."""

    CODE = types.LSPErrorCodes.RequestFailed
    MESSAGE = "The request failed"


class Cancelled(JsonRpcException):
    """What was asked for was cancelled; nothing was changed."""

    CODE = types.LSPErrorCodes.RequestCancelled
    MESSAGE = "Cancelled: nothing was changed"
