"""Ways in: one module per framework, each of which is imported only by whoever uses that framework."""
