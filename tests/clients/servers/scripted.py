"""A server that plays one script: python scripted.py NAME.

It prints each command that it receives as a line of JSON. A line `go` on its standard input lets the
script continue.
"""

import datetime
import sys
import threading

import mockupdb
from bson import json_util
from bson.codec_options import DatetimeConversion
from launch import announce, follow_input

# Dates may be outside of Python's.
mockupdb.CODEC_OPTIONS = mockupdb.CODEC_OPTIONS.with_options(
    datetime_conversion=DatetimeConversion.DATETIME_AUTO
)

INDEXES = [
    {"v": 2, "key": {"_id": 1}, "name": "_id_"},
    {"v": 2, "key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 3600},
]


def cursor(documents, batch="firstBatch", cursor_id=0):
    return {"cursor": {"id": cursor_id, "ns": "shop.c", batch: documents}, "ok": 1}


def failure(code, name, sentence, **fields):
    return {"ok": 0, "errmsg": sentence, "code": code, "codeName": name, **fields}


class Script:
    """Answers as a standalone server with one collection, which is empty."""

    def __init__(self):
        self.port = 0
        self.went = threading.Event()

    def hello(self):
        return {
            "ok": 1, "helloOk": True, "isWritablePrimary": True, "ismaster": True,
            "maxBsonObjectSize": 16777216, "maxMessageSizeBytes": 48000000, "maxWriteBatchSize": 100000,
            "minWireVersion": 0, "maxWireVersion": 25, "logicalSessionTimeoutMinutes": 30,
            "localTime": datetime.datetime.now(datetime.timezone.utc),
        }

    def reply(self, name, command, request):
        """The reply; None: there is none, for now."""
        if name in ("find", "aggregate", "listCollections"):
            return cursor([])
        if name == "listIndexes":
            return cursor(INDEXES)
        if name in ("count", "insert", "update", "delete"):
            return {"n": 1, "nModified": 1, "ok": 1} if name == "update" else {"n": 1, "ok": 1}
        return {"ok": 1}

    def go(self):
        self.went.set()


class Silent(Script):
    """Never answers a find."""

    def reply(self, name, command, request):
        return None if name == "find" else super().reply(name, command, request)


class Late(Script):
    """Answers a find once it may."""

    def __init__(self):
        super().__init__()
        self.waiting = []

    def reply(self, name, command, request):
        if name != "find":
            return super().reply(name, command, request)
        self.waiting.append(request)
        return None

    def go(self):
        for request in self.waiting:
            try:
                request.replies(cursor([{"_id": "late"}]))
            except OSError:
                # Its client has left.
                pass
        self.waiting.clear()


class Dies(Script):
    """Closes the connection instead of answering a find or an insert."""

    def reply(self, name, command, request):
        if name not in ("find", "insert"):
            return super().reply(name, command, request)
        request.hangup()
        return None


class StepsDown(Script):
    """The primary of a replica set, which is none from its first insert on until it may."""

    def __init__(self):
        super().__init__()
        self.is_primary = True

    def hello(self):
        address = f"127.0.0.1:{self.port}"
        state = {"isWritablePrimary": self.is_primary, "ismaster": self.is_primary}
        state |= {"primary": address} if self.is_primary else {"secondary": True}
        return super().hello() | {"setName": "rs0", "hosts": [address], "me": address} | state

    def reply(self, name, command, request):
        if name == "insert" and not self.went.is_set():
            self.is_primary = False
            return failure(10107, "NotWritablePrimary", "not primary")
        return super().reply(name, command, request)

    def go(self):
        self.is_primary = True
        super().go()


class Throttled(Script):
    """Has no request units left for the first two of each command, as Azure Cosmos DB says it."""

    def __init__(self):
        super().__init__()
        self.left = {"find": 2, "insert": 2}

    def reply(self, name, command, request):
        if not self.left.get(name):
            return super().reply(name, command, request)
        self.left[name] -= 1
        sentence = "Error=16500, RetryAfterMs=34, Details='Request rate is large.'"
        return failure(16500, "RequestRateTooLarge", sentence)


class Old(Script):
    """MongoDB 4.2."""

    def hello(self):
        return super().hello() | {"maxWireVersion": 8}


class Yes(Script):
    """Answers everything with success and nothing else."""

    def reply(self, name, command, request):
        return {"ok": 1}


class NoCode(Script):
    """Fails without a code."""

    def reply(self, name, command, request):
        if name in ("find", "insert"):
            return {"ok": 0, "errmsg": f"{name} failed and nothing says why"}
        return super().reply(name, command, request)


class IndexDropped(Script):
    """Drops the TTL index while it is read."""

    def __init__(self):
        super().__init__()
        self.is_dropped = False

    def reply(self, name, command, request):
        killed = failure(175, "QueryPlanKilled", "query plan killed :: caused by :: index 'at_1' dropped")
        if name == "find" and command.get("hint") == "at_1":
            if self.is_dropped:
                return failure(2, "BadValue", "hint provided does not correspond to an existing index")
            self.is_dropped = True
            return killed
        if name == "find":
            return cursor([{"_id": 1}], cursor_id=77)
        if name == "getMore":
            lost = failure(286, "ChangeStreamHistoryLost", "the resume point may no longer be in the oplog")
            return lost if command["collection"] == "changes" else killed
        if name == "listIndexes" and self.is_dropped:
            return cursor(INDEXES[:1])
        return super().reply(name, command, request)


SCRIPTS = {
    "silent": Silent, "late": Late, "dies": Dies, "steps down": StepsDown, "throttled": Throttled,
    "old": Old, "yes": Yes, "no code": NoCode, "index dropped": IndexDropped,
}


def main():
    script = SCRIPTS[sys.argv[1]]()
    server = mockupdb.MockupDB(request_timeout=int(1e6))

    def answer(request):
        name = request.command_name
        is_hello = name.lower() in ("hello", "ismaster")
        reply = script.hello() if is_hello else script.reply(name, request.doc, request)
        # The test that reads this may say `go` at once, so the script takes the command first.
        print(json_util.dumps(request.doc), flush=True)
        if reply is not None:
            request.replies(reply)
        return True

    server.autoresponds(answer)
    follow_input(lambda line: script.go())
    script.port = server.run()
    announce(script.port)
    threading.Event().wait()


main()
