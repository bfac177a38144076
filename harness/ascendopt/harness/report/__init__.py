"""Reports, rebuilt from a journal alone."""
