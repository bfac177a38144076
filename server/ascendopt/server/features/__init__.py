"""One module a LSP method (or a pair that belongs together); each has `register(server)`."""
