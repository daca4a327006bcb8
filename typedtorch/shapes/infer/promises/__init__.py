"""What holds of a function whoever calls it: what it gives, what it needs; read ``summaries`` first."""
