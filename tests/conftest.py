"""One thread for each test process: some tests fork, and a forked child has none of OpenMP's threads.

Examples may take their time: a busy machine is no fault of a property.
Signals are heard: a shell starts what it runs in the background with SIGINT ignored, nohup with SIGHUP.
"""

import os
import signal

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported, which is later
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # the GPU tests need none
    pass
else:
    settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("patient")

# Programs that checkers read and nobody runs: looking for doctests would import them.
collect_ignore_glob = ["static/cases/*", "static/silent/*", "typing/*/*", "mypy_plugin/programs/*"]
