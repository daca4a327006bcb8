"""One thread for each test process: some tests fork, and a forked child has none of OpenMP's threads.

Examples may take their time: a busy machine is no fault of a property. They are the same each time, as the
numbers are that tests draw: a run that fails fails again. `--hypothesis-profile=searching` looks for others.
Signals are heard: a shell starts what it runs in the background with SIGINT ignored, nohup with SIGHUP.
"""

import os
import random
import signal
import sys

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported, which is later
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # the GPU tests need none
    pass
else:
    for name, same_each_time in (("searching", False), ("steady", True)):
        settings.register_profile(
            name,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            derandomize=same_each_time,
        )
    settings.load_profile("steady")


@pytest.fixture(autouse=True)
def _seeded() -> None:
    """What a test draws does not hang on the tests before it (nor is torch imported for those without)."""
    random.seed(0)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(0)
    if (torch := sys.modules.get("torch")) is not None:
        torch.manual_seed(0)


# Programs that checkers read and nobody runs: looking for doctests would import them.
collect_ignore_glob = ["static/cases/*", "static/silent/*", "typing/*/*", "mypy_plugin/programs/*"]
