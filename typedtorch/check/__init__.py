"""``typedtorch check``: the findings of the mypy plugin, without mypy.

The same engine with its own way of finding modules: nothing of the checked program is imported or run.
"""
