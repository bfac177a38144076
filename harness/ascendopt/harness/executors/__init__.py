"""Where the candidates of a batch are evaluated: in this process, in workers beside it, on a cluster."""
