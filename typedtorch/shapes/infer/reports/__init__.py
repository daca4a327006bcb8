"""What is told of a contradiction: where, how, with which fix, and only once; read ``messages`` first."""
