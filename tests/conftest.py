"""All tests run in one time zone: pages show the local time of the machine.

Collecting makes millions of objects that all stay, and the garbage collector would walk through them again and again:
for a third of the time that collecting takes, and for seconds whenever a test allocates much. It rests meanwhile, and
leaves them out from then on.
"""

import gc
import os
import time

os.environ["TZ"] = "UTC"
time.tzset()

gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# Pictures that only a path tracer paints: Mitsuba and SciPy, which nothing else needs, are installed by hand.
collect_ignore_glob = ["bench/path_traced*"]
