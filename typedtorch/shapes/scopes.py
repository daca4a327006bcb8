"""The scope of a name in a size: a signature, the integers of a function, or an instance."""

from __future__ import annotations

INTEGER_SCOPE = "int"  # int parameters of one function: generic among themselves
INSTANCE_SCOPE = "self"  # integers of one instance: likewise
HELD_SCOPE = "held"  # axes of the tensors an instance was constructed with: likewise
DEFAULTED = "="  # and the number end the scope of an integer with a default: it may be that number
GIVEN_SCOPE = "given"  # an axis of a signature as a call binds it, for observers
STATED_SCOPE = "stated"  # an axis that an assert says is a number, for observers
LINKED_SCOPE = "linked"  # integers of an instance that are axes of its methods: in both scopes
OWN = frozenset({INSTANCE_SCOPE, LINKED_SCOPE})  # integers of an instance
LOCAL_SCOPE = "local @"  # and where a variable got a number that only running tells: it may be any axis
ITEM_SCOPE = "item "  # and which item of a list or dict: the axes of its tensors, if it is an object


def bare(scope: str) -> str:
    """A scope without what an integer of it defaults to."""
    return scope.partition(DEFAULTED)[0]


def one_scope(scopes: set[str]) -> bool:
    """Whether names of these scopes are generic among themselves.

    A linked axis is in the scopes of the signature and of the instance; an anonymous one (``_``) in none.
    """
    scopes = {bare(s) for s in scopes}
    if len(scopes) == 1:
        return True
    return scopes <= {LINKED_SCOPE, ""} or scopes <= {LINKED_SCOPE, INSTANCE_SCOPE}
