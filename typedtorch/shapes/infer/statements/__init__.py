"""Statements, one function for each kind, and the ways that lead through them; read ``statements`` first."""
