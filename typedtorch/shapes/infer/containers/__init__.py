"""Lists, tuples, dicts and sets: what is in them, and what changes it; read ``containers`` first."""
