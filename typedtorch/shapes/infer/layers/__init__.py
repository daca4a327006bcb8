"""Modules: torch's own layers, containers of modules, and parts that are exchanged; read ``layers`` first."""
