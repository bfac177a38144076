"""Searches: proposers behind one ask/tell interface."""
