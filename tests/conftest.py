"""One thread for each test process: some tests fork, and a forked child has none of OpenMP's threads."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported, which is later

# Programs that checkers read and nobody runs: looking for doctests would import them.
collect_ignore_glob = ["static/cases/*", "static/silent/*", "typing/*/*", "mypy_plugin/programs/*"]
