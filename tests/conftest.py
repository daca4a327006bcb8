"""One thread for each test process: some tests fork, and a forked child has none of OpenMP's threads."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported, which is later
