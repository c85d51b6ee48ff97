"""All tests run in one time zone: pages show the local time of the machine."""

from __future__ import annotations

import os
import time

os.environ["TZ"] = "UTC"
time.tzset()
