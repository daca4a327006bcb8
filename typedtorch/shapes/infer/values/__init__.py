"""What an expression may stand for, and what two of these have in common; read ``values`` first."""
