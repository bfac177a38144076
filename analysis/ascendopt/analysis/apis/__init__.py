"""The documented functions: their parameters, dtypes and chips, and which of them a call in the source means."""

from ascendopt.analysis.apis.reading import Operand, Reading, read_call, readings
from ascendopt.analysis.apis.table import Page, Parameter, api_names, pages

__all__ = ["Operand", "Page", "Parameter", "Reading", "api_names", "pages", "read_call", "readings"]
