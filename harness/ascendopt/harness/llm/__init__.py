"""Candidates from a language model behind any OpenAI-compatible address."""
