"""Notifications on phones that are not looking: Web Push, where the owner has turned it on.

The table sends a message, encrypted for the phone alone, to the push service of the phone's browser. That is the one
thing for which this program goes to the internet by itself, so it is off unless the owner wants it.
"""
