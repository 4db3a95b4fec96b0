"""nx-27017 in memory, with its log in the current folder."""

import logging
import sys

from launch import announce, follow_input
from nx_27017 import nx_27017


class Port(logging.Handler):
    """Waits for the port that the system chose."""

    def emit(self, record):
        _, found, port = record.getMessage().partition("Listening on 127.0.0.1:")
        if found:
            announce(port)


follow_input()
logging.getLogger().setLevel(logging.INFO)
logging.getLogger().addHandler(Port())
sys.argv[1:] = ["--data-dir", "memory", "--port", "0", "--pid-file", "pid", "--log-file", "log"]
nx_27017.main()
