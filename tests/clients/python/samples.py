"""The samples of both vendors' documentation in PyMongo's own idiom, on the server's simulated clock."""

import datetime
import os

from bson.int64 import Int64
from pymongo import DeleteOne, InsertOne, MongoClient, UpdateOne, version
from pymongo.collation import Collation, CollationStrength
from pymongo.errors import BulkWriteError, ClientBulkWriteException, DuplicateKeyError, OperationFailure

from clock import advance


def cosmos(client):
    coll = client.cosmos.coll
    assert coll.create_index([("_ts", 1)], expireAfterSeconds=10) == "_ts_1"
    assert coll.index_information()["_ts_1"]["expireAfterSeconds"] == 10
    coll.insert_one({"id": 1, "location": "Paris", "ttl": 20.0})
    coll.insert_one({"id": 1, "location": "Paris", "ttl": 20})
    coll.insert_one({"id": 1, "location": "Paris", "ttl": Int64(20)})
    coll.insert_one({"id": 1, "location": "Paris", "ttl": 20.5})
    coll.insert_one({"id": 1, "location": "Paris", "ttl": Int64(2147483649)})
    assert coll.count_documents({}) == 5
    assert coll.estimated_document_count() == 5
    assert all("_ts" not in document for document in coll.find())
    advance(client, 9)
    assert coll.count_documents({}) == 5
    advance(client, 1)
    left = list(coll.find({}, {"_id": 0}))
    assert [type(document["ttl"]) for document in left] == [float, int, Int64], left
    advance(client, 10)
    assert coll.count_documents({}) == 0
    assert coll.estimated_document_count() == 0


def manual(client):
    db = client.manual
    now = client.admin.command("mayflyClock", 1)["now"].replace(tzinfo=datetime.timezone.utc)
    hours = [now - datetime.timedelta(hours=hour) for hour in (0, 2)]
    db.eventlog.insert_many({"lastModifiedDate": hour} for hour in hours)
    db.eventlog.create_index({"lastModifiedDate": 1}, expireAfterSeconds=3600)
    advance(client, 1)
    assert [document["lastModifiedDate"] for document in db.eventlog.find()] == hours[:1]
    db.tickets.insert_many({"lastModifiedDate": hour} for hour in hours)
    db.tickets.create_index({"lastModifiedDate": 1})
    change = {
        "collMod": "tickets",
        "index": {"keyPattern": {"lastModifiedDate": 1}, "expireAfterSeconds": 100},
    }
    reply = db.command(change)
    assert reply["expireAfterSeconds_new"] == 100 and "expireAfterSeconds_old" not in reply, reply
    assert db.command(change)["expireAfterSeconds_old"] == 100
    advance(client, 1)
    assert db.tickets.count_documents({}) == 1
    advance(client, 100)
    assert db.tickets.count_documents({}) == 0


def everyday(client):
    things = client.everyday.things
    things.insert_many([{"_id": n, "group": n % 3, "tags": ["a", "b"][: n % 3]} for n in range(300)])
    assert things.update_many({"group": 1}, {"$inc": {"n": 1}}).modified_count == 100
    assert things.update_one({"_id": "new"}, {"$set": {"n": 1}}, upsert=True).upserted_id == "new"
    assert things.find_one_and_update({"_id": 1}, {"$set": {"n": 5}}, return_document=True)["n"] == 5
    assert things.delete_one({"_id": "new"}).deleted_count == 1
    assert sorted(things.distinct("tags")) == ["a", "b"]
    assert len(list(things.find({"group": 2}, batch_size=7))) == 100
    assert [d["_id"] for d in things.find().sort("_id", -1).skip(1).limit(2)] == [298, 297]
    grouped = things.aggregate([{"$group": {"_id": "$group", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}])
    assert list(grouped) == [{"_id": n, "n": 100} for n in range(3)]
    assert things.find({"_id": 1}).explain()["queryPlanner"]["namespace"] == "everyday.things"
    try:
        things.insert_one({"_id": 1})
        raise AssertionError("a second _id 1 was taken")
    except DuplicateKeyError as error:
        assert error.details["keyValue"] == {"_id": 1}, error.details
    try:
        things.insert_many([{"_id": 1}, {"_id": 1000}], ordered=False)
        raise AssertionError("a second _id 1 was taken")
    except BulkWriteError as error:
        assert error.details["nInserted"] == 1 and error.details["writeErrors"][0]["code"] == 11000
    for options, code in [({"expireAfterSeconds": "1"}, 67), ({"expireAfterSeconds": -1}, 67)]:
        try:
            things.create_index("x", **options)
            raise AssertionError(f"{options} was taken")
        except OperationFailure as error:
            assert error.code == code, error
    with client.start_session() as session:
        assert things.count_documents({}, session=session) == 301
        try:
            with session.start_transaction():
                things.insert_one({"x": 1}, session=session)
            raise AssertionError("a standalone took a transaction")
        except OperationFailure as error:
            assert error.code == 20, error
    assert "things" in client.everyday.list_collection_names()
    assert "everyday" in client.list_database_names()
    unacknowledged = client.everyday.get_collection("quiet", write_concern=quiet())
    unacknowledged.insert_one({"_id": 1})
    assert client.everyday.command("ping")["ok"] == 1
    things.drop()
    assert "things" not in client.everyday.list_collection_names()


def collations(client):
    words = client.collations.words
    words.insert_many({"_id": n, "w": w} for n, w in enumerate(["Zebra", "äpfel", "APFEL", "apfel"]))
    german = Collation("de", strength=CollationStrength.PRIMARY)
    assert sorted(d["_id"] for d in words.find({"w": "Äpfel"}).collation(german)) == [1, 2, 3]
    assert [d["_id"] for d in words.find().collation(Collation("de")).sort("w", 1)] == [3, 2, 1, 0]
    assert words.count_documents({"w": "zebra"}, collation=german) == 1
    assert words.update_many({"w": "APFEL"}, {"$set": {"n": 1}}, collation=german).modified_count == 3
    users = client.collations.users
    caseless = Collation("en", strength=2)
    users.create_index("name", unique=True, collation=caseless)
    assert users.index_information()["name_1"]["collation"]["version"] == "57.1"
    users.insert_one({"name": "a"})
    try:
        users.insert_one({"name": "A"})
        raise AssertionError("a second name was taken")
    except DuplicateKeyError as error:
        assert error.code == 11000 and "dup key: { name: \"CollationKey(0x" in str(error), error
    fixed = client.collations.create_collection("fixed", collation=caseless)
    fixed.insert_one({"w": "Foo"})
    assert fixed.count_documents({"w": "foo"}) == 1
    assert fixed.options()["collation"]["strength"] == 2
    try:
        words.find_one({}, collation=Collation("xx"))
        raise AssertionError("an unknown locale was taken")
    except OperationFailure as error:
        assert error.code == 2, error


def names(client):
    """Names with dollars and periods, as the manual's "Field Names with Periods and Dollar Signs" has them."""
    housing = client.names.housing
    stored = {"_id": "E123", "address": {"$number": 123, "$inc": True, "a.b": 1}, "$rooms": {"bath": 1}}
    housing.insert_one(stored)
    assert housing.find_one() == stored
    housing.update_one({"_id": "E123"}, {"$set": {"address.$street": "Elm Ave"}})
    assert housing.count_documents({"address.$street": "Elm Ave"}) == 1
    rooms = {"$setField": {"field": {"$literal": "$rooms"}, "input": "$$ROOT", "value": 2}}
    housing.update_one({"_id": "E123"}, [{"$replaceWith": rooms}])
    got = {"$getField": {"$literal": "$rooms"}}
    assert list(housing.aggregate([{"$project": {"_id": 0, "rooms": got}}])) == [{"rooms": 2}]
    upserted = {"$set": {"$hotel": 320.10}}
    assert housing.update_one({"_id": "new"}, upserted, upsert=True).upserted_id == "new"
    for change, code in [
        (lambda: housing.update_one({"_id": "new"}, upserted, upsert=True), None),
        (lambda: housing.update_one({"_id": "new"}, {"$set": {"$hotel": 1}}), 52),
        (lambda: housing.replace_one({"_id": "new"}, {"a": 1, "$b": 1}), 52),
        (lambda: housing.replace_one({"_id": "new"}, {"a": 1, "$id": 1}), 55),
        (lambda: housing.insert_one({"_id": {"a": {"$b": 1}}}), 52),
    ]:
        try:
            change()
            assert code is None, f"taken instead of {code}"
        except OperationFailure as error:
            assert error.code == code, error


def old_options(client):
    """Options that PyMongo still sends, and MongoDB still accepts."""
    things = client.old.things
    things.insert_one({"_id": 1, "a": 1})
    things.create_index("a", background=True)
    assert things.index_information()["a_1"]["background"] is True
    assert things.create_index("a") == "a_1"
    assert client.old.validate_collection(things)["nrecords"] == 1
    assert client.old.validate_collection(things, scandata=True, full=True)["valid"]
    try:
        client.old.validate_collection(things, background=True)
        raise AssertionError("a standalone checked in the background")
    except OperationFailure as error:
        assert error.code == 115, error


def bulk(client):
    """Writes in several collections by one command, which drivers send from wire version 25 on."""
    a, b = "bulk.a", "bulk.b"
    done = client.bulk_write(
        [
            InsertOne({"_id": 1}, namespace=a),
            InsertOne({"_id": 1, "w": "x"}, namespace=b),
            UpdateOne({"_id": 1}, {"$set": {"n": 1}}, namespace=a),
            UpdateOne({"_id": 2}, {"$set": {"n": 1}}, upsert=True, namespace=a),
            DeleteOne({"w": "X"}, collation=Collation("en", strength=2), namespace=b),
        ],
        verbose_results=True,
    )
    counts = (done.inserted_count, done.modified_count, done.upserted_count, done.deleted_count)
    assert counts == (2, 1, 1, 1), done
    assert done.update_results[3].upserted_id == 2, done
    try:
        client.bulk_write([InsertOne({"_id": n}, namespace=a) for n in (1, 3, 2)], ordered=False)
        raise AssertionError("a second _id 1 was taken")
    except ClientBulkWriteException as error:
        assert sorted(e["idx"] for e in error.write_errors) == [0, 2], error.write_errors
        assert error.partial_result.inserted_count == 1
    many = client.bulk_write([InsertOne({"_id": n}, namespace=b) for n in range(5000)], verbose_results=True)
    assert many.inserted_count == 5000 and len(many.insert_results) == 5000


def quiet():
    from pymongo import WriteConcern

    return WriteConcern(w=0)


def main():
    with MongoClient(os.environ["MAYFLY_URI"], tz_aware=True) as client:
        assert client.server_info()["version"].startswith("8.2."), client.server_info()
        client.admin.command("setParameter", 1, ttlMonitorSleepSecs=1)
        cosmos(client)
        manual(client)
        everyday(client)
        collations(client)
        names(client)
        old_options(client)
        bulk(client)
    print(f"PyMongo {version}: samples and everyday work hold")


main()
