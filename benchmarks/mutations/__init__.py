"""Single faults that people make in model code.

>>> from mutations import mutants
>>> text = "def f(x, y):\\n    return x @ y.T\\n"
>>> sorted({m.kind for m in mutants(text)})
['drop a transpose', 'matmul in the other order', 'product for matmul']
"""

from mutations import calls, operators, types  # registers the mutators
from mutations.core import MUTATORS, Mutant, mutants

__all__ = ["MUTATORS", "Mutant", "calls", "mutants", "operators", "types"]
