"""What annotations say: read, taken as given, and held against values; read ``reading`` first."""
