"""MongoEngine: query_counter counts by the profiler, and documents expire by the index of their class."""

import datetime
import os

from mongoengine import (
    DateTimeField,
    Document,
    DoesNotExist,
    ListField,
    ReferenceField,
    StringField,
    connect,
    disconnect,
)
from mongoengine.context_managers import query_counter

from clock import advance, start_now

KEPT_S = 3600


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Author(Document):
    name = StringField(required=True, unique=True)


class Note(Document):
    text = StringField()
    author = ReferenceField(Author)
    tags = ListField(StringField())
    made_at = DateTimeField(default=now)
    meta = {"indexes": [{"fields": ["made_at"], "expireAfterSeconds": KEPT_S}, "tags"]}


def counts():
    Note.ensure_indexes()
    Author.ensure_indexes()
    with query_counter() as queries:
        assert queries == 0, queries
        author = Author(name="Ada").save()
        assert queries == 1, queries
        Note(text="a", author=author, tags=["x", "y"]).save()
        # An insert of several reads them again.
        Note.objects.insert([Note(text=text, author=author) for text in "bc"])
        assert queries == 4, queries
        assert {note.author.name for note in Note.objects} == {"Ada"}
        # One for the notes, and one for the author of each.
        assert queries == 8, queries
        assert len(Note.objects.select_related()) == 3
        assert queries == 10, queries
        assert Note.objects(tags="x").update_one(push__tags="z") == 1
        assert Note.objects(text="c").delete() == 1
        assert queries == 12, queries
        assert Note.objects.count() == 2
        assert queries == 13, queries
    with query_counter() as queries:
        assert queries == 0, queries


def expiry(client):
    indexes = Note._get_collection().index_information()
    assert indexes["made_at_1"]["expireAfterSeconds"] == KEPT_S, indexes
    assert indexes["tags_1"]["key"] == [("tags", 1)], indexes
    later = Note(text="later", made_at=now() + datetime.timedelta(days=1)).save()
    first = Note.objects(text="a").get()
    advance(client, KEPT_S + 60)
    assert [note.id for note in Note.objects] == [later.id]
    try:
        first.reload()
        raise AssertionError("a note that expired was loaded")
    except DoesNotExist:
        pass
    # Saving writes the changes of a document, not the document: an expired one does not return.
    first.text = "again"
    first.save()
    assert Note.objects(text="again").count() == 1
    with query_counter() as queries:
        assert Note.objects(id=first.id).first().text == "again"
        assert queries == 1, queries


def main():
    client = connect("notes", host=os.environ["MAYFLY_URI"], tz_aware=True)
    start_now(client)
    counts()
    expiry(client)
    disconnect()
    print("MongoEngine: queries are counted and documents expire")


main()
