"""Drives a server for `tests/examples/wire_cost.rs`: one phase for each line of standard input.

The counts come from there; a line is answered when its phase is over, so that the caller can read what
the server used.
"""

import datetime
import os
import sys
import threading

from pymongo import MongoClient

BATCH = 1000


def document(number):
    """About 228 bytes and nine fields, as the in-process half writes them."""
    return {
        "_id": number,
        "at": datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=number),
        "user": f"user-{number:08}",
        "path": "/a/path/of/some/length/that/people/visit",
        "status": 200,
        "bytes": number * 37,
        "ratio": 0.25,
        "cached": True,
        "agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko",
    }


def insert_many(coll, first, count):
    for start in range(first, first + count, BATCH):
        coll.insert_many([document(number) for number in range(start, start + BATCH)])


def insert_one(coll, first, count):
    for number in range(first, first + count):
        coll.insert_one(document(number))


def find_one(coll, first, count):
    for number in range(first, first + count):
        assert coll.find_one({"_id": number})["_id"] == number


def eight(coll, first, count):
    each = count // 8
    threads = [
        threading.Thread(target=insert_one, args=(coll, first + part * each, each)) for part in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    with MongoClient(os.environ["MAYFLY_URI"]) as client:
        coll = client.cost.docs
        coll.create_index("at", expireAfterSeconds=2_000_000_000)
        print("ready", flush=True)
        for line in sys.stdin:
            name, first, count = line.split()
            phases = {"insert_many": insert_many, "insert_one": insert_one, "find_one": find_one, "eight": eight}
            phases[name](coll, int(first), int(count))
            print("done", flush=True)


main()
