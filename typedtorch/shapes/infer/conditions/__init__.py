"""What tests prove of values and sizes in the branches they lead to; read ``refine`` first."""
