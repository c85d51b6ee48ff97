"""Web Push notifications, if the owner has enabled them.

Messages are encrypted end to end and sent to the push service of the phone's browser. This is the only feature that
connects to the internet by itself, so it is disabled by default.
"""
