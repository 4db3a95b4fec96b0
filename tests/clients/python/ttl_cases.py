"""All cases of tests/cases through a real socket: setup, one command, what is expected.

usage: ttl_cases.py MAYFLY_PROGRAM CASES.jsonl
"""

import datetime
import math
import subprocess
import sys
import tempfile

from bson import json_util
from bson.codec_options import DatetimeConversion
from bson.decimal128 import Decimal128
from bson.int64 import Int64
from pymongo import MongoClient
from pymongo.errors import OperationFailure

START = "2024-01-01T00:00:00Z"
OPTIONS = json_util.JSONOptions(tz_aware=True, datetime_conversion=DatetimeConversion.DATETIME_AUTO)


class World:
    """A server on a new data folder, with its clock standing still and passes only where a case has one."""

    def __init__(self, program, folder, has_monitor):
        self.program, self.folder, self.has_monitor = program, folder, has_monitor
        self.collection = "c"
        self.start(START)

    def start(self, now):
        command = [self.program, "serve", "--data", self.folder, "--port", "0", "--simulated-clock", now]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.server.stdout.readline()
        assert line.startswith("mayfly listening on mongodb://"), line
        self.client = MongoClient(line.split(" on ", 1)[1].strip(), tz_aware=True)
        self.run("admin", {"mayflyClock": 1, "paused": True})
        # Whenever the clock is set, a pass of the monitor's own may come before or after the next command.
        if not self.has_monitor:
            reply = self.run("admin", {"setParameter": 1, "ttlMonitorEnabled": False})
            assert reply["ok"] == 1, reply

    def stop(self):
        self.client.close()
        self.server.terminate()
        assert self.server.wait(timeout=20) == 0, "the server did not end cleanly"

    def run(self, db, command):
        try:
            return self.client[db].command(command)
        except OperationFailure as error:
            return error.details

    def command(self, command):
        name, value = next(iter(command.items()))
        if name == "$ttlPass":
            return self.run("admin", {"mayflyReap": 1})
        if name == "$clock":
            return self.set_clock(value)
        if name == "$dialect":
            return self.run("test", {"mayflyDialect": value})
        if name == "$restart":
            now = self.run("admin", {"mayflyClock": 1})["now"]
            self.stop()
            self.start(now.isoformat().replace("+00:00", "Z"))
            return {"ok": 1}
        if name.startswith("$"):
            raise ValueError(f"{name} stands for nothing that Mayfly has")
        if name == "insert":
            self.collection = value
        admin = name in ("renameCollection", "setParameter", "getParameter")
        return self.run("admin" if admin else "test", command)

    def set_clock(self, text):
        now = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        reply = self.run("admin", {"mayflyClock": 1, "set": now})
        assert reply["ok"] == 1, reply
        return reply


def at(value, path):
    """The value at a dotted path; numbers step into arrays. `None` when there is none."""
    for part in path.split("."):
        if isinstance(value, dict):
            if part not in value:
                return None
            value = value[part]
        elif isinstance(value, list):
            if int(part) >= len(value):
                return None
            value = value[int(part)]
        else:
            return None
    return value


def is_number(value):
    return isinstance(value, (int, float, Decimal128)) and not isinstance(value, bool)


def is_like(actual, expected, path):
    if isinstance(expected, dict):
        same_size = isinstance(actual, dict) and (len(actual) == len(expected) or path == "writeErrors")
        return same_size and all(name in actual and is_like(actual[name], value, path) for name, value in expected.items())
    if isinstance(expected, list):
        same_size = isinstance(actual, list) and len(actual) == len(expected)
        return same_size and all(is_like(a, e, path) for a, e in zip(actual, expected))
    if type(expected) is int:
        return is_number(actual) and actual == expected
    if isinstance(expected, float) and math.isnan(expected):
        return isinstance(actual, float) and math.isnan(actual)
    return type(actual) is type(expected) and actual == expected


def check_ids(reply, expected):
    found = sorted(json_util.dumps(document.get("_id")) for document in at(reply, "cursor.firstBatch"))
    wanted = sorted(json_util.dumps(value) for value in expected)
    return None if found == wanted else f"expected the ids {wanted}, found {found}"


def check(reply, expect):
    """What is wrong with the reply, or `None`."""
    for name, expected in expect.items():
        if name == "$absent":
            holds = all(at(reply, path) is None for path in expected)
        elif name == "$gte":
            holds = all(is_number(at(reply, path)) and at(reply, path) >= bound for path, bound in expected.items())
        elif name == "errmsgContains":
            holds = all(word in reply.get("errmsg", "") for word in expected)
        elif name == "ids":
            wrong = check_ids(reply, expected)
            if wrong:
                return wrong
            holds = True
        elif name == "first":
            first = at(reply, "cursor.firstBatch.0")
            wrong = check(first, expected) if first is not None else "no document"
            if wrong:
                return wrong
            holds = True
        else:
            holds = is_like(at(reply, name), expected, name)
        if not holds:
            return f"expected {name}: {expected}, answered {reply}"
    return None


def verdict(world, case):
    """What is wrong in a case, or `None`."""
    for command in case["setup"]:
        reply = world.command(command)
        if reply.get("ok") != 1:
            return f"setup {command} answered {reply}"
    expect = case["expect"]
    if "now" in expect:
        world.set_clock(expect["now"])
    reply = world.command(case["command"])
    if "kept" not in expect:
        return check(reply, expect)
    if reply.get("ok") != 1:
        return f"answered {reply}"
    if "find" not in case["command"]:
        reply = world.run("test", {"find": world.collection, "filter": {}})
    return check_ids(reply, expect["kept"])


def main():
    program, path = sys.argv[1:]
    counts, failures = {}, []
    with open(path, encoding="utf-8") as lines:
        cases = [json_util.loads(line, json_options=OPTIONS) for line in lines if line.strip()]
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            world = World(program, folder, "ttlMonitorEnabled" in case["command"])
            try:
                wrong = verdict(world, case)
            except Exception as error:  # A case that can't be run is a case that does not hold.
                wrong = f"{type(error).__name__}: {error}"
            finally:
                world.stop()
        is_certain = case.get("confidence") != "low"
        group = counts.setdefault(case["group"], [0, 0])
        if is_certain:
            group[0 if wrong is None else 1] += 1
        if wrong is not None:
            print(f"{case['id']}{'' if is_certain else ' (low confidence)'}: {wrong}")
        if wrong is not None and is_certain:
            failures.append(case["id"])
    for group, (held, failed) in sorted(counts.items()):
        print(f"{group}: {held} hold, {failed} fail")
    if failures or sum(held for held, _ in counts.values()) < 100:
        sys.exit(f"cases that do not hold over the wire: {failures}")


main()
