"""The text of a program, before anything of it is evaluated; read ``program`` first."""
