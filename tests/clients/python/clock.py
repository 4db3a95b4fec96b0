"""Moves the server's simulated clock and waits until the TTL monitor has worked through it."""

import time

from bson.int64 import Int64

PATIENCE_S = 20


def advance(client, seconds):
    """Time goes on by so many seconds, at least one; returns after the monitor's own pass at the new time."""
    before = passes(client)
    client.admin.command("mayflyClock", 1, advanceMS=Int64(seconds * 1000))
    until = time.monotonic() + PATIENCE_S
    while passes(client) == before:
        assert time.monotonic() < until, "the TTL monitor made no pass"
        time.sleep(0.005)


def passes(client):
    return client.admin.command("serverStatus")["metrics"]["ttl"]["passes"]
