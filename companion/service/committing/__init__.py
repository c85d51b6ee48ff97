"""The table thread: queued jobs, applied and committed in groups, and the handling of failures."""
