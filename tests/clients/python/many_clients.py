"""Five hundred idle clients with two connections each, one that works, and one whose reads outlive it."""

import os
import threading

from pymongo import MongoClient
from pymongo.errors import PyMongoError

IDLE = 500
# Each in each of four thousand, four times: days.
ENDLESS = "$$this"
for _ in range(4):
    condition = {"$gt": [ENDLESS, 4000]}
    ENDLESS = {"$size": {"$filter": {"input": {"$range": [0, 4000]}, "cond": condition}}}


def connect():
    return MongoClient(os.environ["MAYFLY_URI"], directConnection=True)


def running(client):
    operations = client.admin.command("currentOp", **{"command.aggregate": "things"})["inprog"]
    return len(operations)


def leave(client):
    """Sends a read that never ends, and closes its connection by a time limit of the driver."""
    slow = MongoClient(os.environ["MAYFLY_URI"], directConnection=True, socketTimeoutMS=500)
    try:
        list(slow.test.things.aggregate([{"$set": {"a": ENDLESS}}]))
        raise AssertionError("it ended")
    except PyMongoError:
        pass
    while running(client):
        pass


def main():
    threading.stack_size(256 * 1024)
    idle = [connect() for _ in range(IDLE)]
    for client in idle:
        client.admin.command("ping")
    worker = connect()
    for number in range(50):
        worker.test.things.insert_one({"_id": number})
        assert worker.test.things.find_one({"_id": number}) == {"_id": number}
    current = worker.admin.command("serverStatus")["connections"]["current"]
    assert current >= 2 * IDLE, current
    leave(worker)
    print("many clients share the server", flush=True)
    # Closing a thousand connections one by one takes longer than the test.
    os._exit(0)


main()
