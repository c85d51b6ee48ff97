"""All tests run in one time zone: pages show the local time of the machine."""

from __future__ import annotations

import os
import time

os.environ["TZ"] = "UTC"
time.tzset()

# Pictures that only a path tracer paints: Mitsuba and SciPy, which nothing else needs, are installed by hand.
collect_ignore_glob = ["bench/path_traced*"]
