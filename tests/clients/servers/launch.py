"""How each server here starts and ends."""

import os
import sys
import threading


def announce(port):
    """Says where it listens: the first line of its output."""
    print(f"listening on {port}", flush=True)


def follow_input(hear=lambda line: None):
    """Ends the program with its standard input, so that it never outlives the test that started it."""

    def follow():
        for line in sys.stdin:
            hear(line.strip())
        os._exit(0)

    threading.Thread(target=follow, daemon=True).start()
