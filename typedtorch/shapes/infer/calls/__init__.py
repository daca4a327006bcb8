"""Calls of the program's own functions: arguments, bodies, results; read ``calls`` first."""
