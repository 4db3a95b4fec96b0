"""Moves the server's simulated clock and waits until the TTL monitor has worked through it."""

import datetime
import time

from bson.int64 import Int64

PATIENCE_S = 20


def advance(client, seconds):
    """Time advances by this many seconds, at least one; returns after the monitor's own pass at the new time."""
    move(client, advanceMS=Int64(seconds * 1000))


def start_now(client):
    """Sets the server to the time of this program, from which a library computes when something expires."""
    client.admin.command("setParameter", 1, ttlMonitorSleepSecs=1)
    move(client, set=datetime.datetime.now(datetime.timezone.utc))


def move(client, **change):
    before = passes(client)
    client.admin.command("mayflyClock", 1, **change)
    until = time.monotonic() + PATIENCE_S
    while passes(client) == before:
        assert time.monotonic() < until, "the TTL monitor made no pass"
        time.sleep(0.005)


def passes(client):
    return client.admin.command("serverStatus")["metrics"]["ttl"]["passes"]
