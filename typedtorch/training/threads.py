"""Makes torch's threads sleep while they wait; this has to be set before torch starts them.

By default the threads of a parallel operator spin while they wait for each other. On a machine that does
anything else besides, they spin through the time the others need: on two cores, beside about ten other busy
processes, a small model (eight layers of width 256) took 0.45 to 2.1 s a step spinning and 33 to 50 ms
asleep (torch 2.13, three runs each in turn). With the machine to oneself spinning saves waking up:
``OMP_WAIT_POLICY=ACTIVE`` asks for it. The OpenMP runtime reads the setting once, when torch is first
imported; whoever has set it already, or imported torch, keeps their way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping


def wait_asleep(environment: MutableMapping[str, str]) -> bool:
    """Set ``OMP_WAIT_POLICY=PASSIVE`` unless the environment says how to wait; returns whether it did.

    >>> environment = {}
    >>> wait_asleep(environment), environment, wait_asleep({"GOMP_SPINCOUNT": "10"})
    (True, {'OMP_WAIT_POLICY': 'PASSIVE'}, False)
    """
    if {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"} & set(environment):
        return False
    environment["OMP_WAIT_POLICY"] = "PASSIVE"
    return True


if "torch" not in sys.modules:
    wait_asleep(os.environ)
