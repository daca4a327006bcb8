"""Functions of Python and torch for which a shape rule is not the right form; read ``library`` first."""
