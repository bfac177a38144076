"""The gates: static, compile, correctness, profile; ``evaluator`` joins them."""
