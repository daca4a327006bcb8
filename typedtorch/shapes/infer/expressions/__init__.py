"""Expressions, one function for each kind; read ``expressions`` first."""
