"""The documented functions: their parameters, dtypes and chips. ``facts/readings.py`` says which form a call has."""

from ascendopt.analysis.apis.table import Page, Parameter, api_names, known_on, pages, structs_of_parameter

__all__ = ["Page", "Parameter", "api_names", "known_on", "pages", "structs_of_parameter"]
