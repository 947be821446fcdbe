"""Waiting for what another program does."""
import time


def eventually(condition, what, within=20, every=.05):
    """What the condition gives, once that is true; an error that names it if it is not in time."""
    deadline = time.monotonic() + within
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within} s: {what}")
        time.sleep(every)
    return found
