"""Exhaust cursors in PyMongo: the server sends one batch after the other without being asked."""

import os

from pymongo import CursorType, MongoClient, monitoring, version
from pymongo.errors import CursorNotFound, OperationFailure


class Started(monitoring.CommandListener):
    """Counts the messages that the driver sends."""

    def __init__(self):
        self.more = []

    def started(self, event):
        if event.command_name == "getMore":
            self.more.append(event.request_id)

    def succeeded(self, event):
        pass

    def failed(self, event):
        pass


def cursor(things, **options):
    return things.find(cursor_type=CursorType.EXHAUST, batch_size=50, **options)


def open_cursors(client):
    return client.admin.command("serverStatus")["metrics"]["cursor"]["open"]["total"]


def whole(things, started):
    started.more.clear()
    assert [d["_id"] for d in cursor(things).sort("_id", 1)] == list(range(1000))
    # Each batch after the first is an event, but only one getMore is a message.
    assert len(started.more) >= 19, started.more
    assert len(list(cursor(things, filter={"_id": {"$lt": 20}}))) == 20, "a single batch"


def early_close(client, things):
    some = cursor(things)
    for _ in range(120):
        next(some)
    some.close()
    assert things.count_documents({}) == 1000, "a connection of its own"
    while open_cursors(client):
        pass


def killed(client, things):
    """Batches that do not fit into the connection, so the server is not done when the cursor is killed."""
    some = cursor(client.exhaust.large)
    for _ in range(60):
        next(some)
    client.exhaust.command("killCursors", "large", cursors=[some.cursor_id])
    try:
        for _ in some:
            pass
        raise AssertionError("the cursor outlived killCursors")
    except (CursorNotFound, OperationFailure) as error:
        assert error.code in (43, 237), error
    assert things.count_documents({}) == 1000


def failing(things):
    divided = {"$expr": {"$gt": [{"$divide": [1, {"$subtract": ["$_id", 500]}]}, -2]}}
    some, seen = cursor(things, filter=divided), 0
    try:
        for _ in some:
            seen += 1
        raise AssertionError("a division by zero was passed over")
    except OperationFailure as error:
        assert error.code == 2 and 400 <= seen <= 500, (seen, error)
    assert things.count_documents({}) == 1000


def main():
    started = Started()
    uri = os.environ["MAYFLY_URI"]
    with MongoClient(uri, event_listeners=[started], maxPoolSize=3, socketTimeoutMS=20000) as client:
        things = client.exhaust.things
        things.insert_many({"_id": n} for n in range(1000))
        client.exhaust.large.insert_many({"_id": n, "x": "x" * 60_000} for n in range(600))
        whole(things, started)
        for _ in range(5):
            early_close(client, things)
        killed(client, things)
        failing(things)
        whole(things, started)
        while open_cursors(client):
            pass
    print(f"PyMongo {version}: exhaust cursors end as they must")


main()
