"""The language server: converts between LSP and the engine, holds no analysis of its own."""
