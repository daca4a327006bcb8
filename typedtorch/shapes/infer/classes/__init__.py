"""Classes of the program, their objects, and what is true of these all along; read ``classes`` first."""
