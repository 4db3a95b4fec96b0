"""Beanie: linked documents are fetched in one query, and a link to a document that expired stays a link."""

import asyncio
import datetime
import os

from beanie import BackLink, DeleteRules, Document, Indexed, Link, WriteRules, init_beanie
from pydantic import Field
from pymongo import AsyncMongoClient, MongoClient
from typing import Annotated

from clock import advance, start_now

KEPT_S = 3600


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Owner(Document):
    name: str
    seen_at: Annotated[datetime.datetime, Indexed(expireAfterSeconds=KEPT_S)] = Field(default_factory=now)
    pets: list[BackLink["Pet"]] = Field(json_schema_extra={"original_field": "owner"}, default=[])


class Toy(Document):
    name: str


class Pet(Document):
    name: str
    owner: Link[Owner]
    toys: list[Link[Toy]] = []


async def links():
    ada = await Owner(name="Ada").insert()
    # The pets and toys are written with the owner of a pet.
    cat = Pet(name="Tom", owner=ada, toys=[Toy(name="ball"), Toy(name="wool")])
    await cat.insert(link_rule=WriteRules.WRITE)
    await Pet(name="Rex", owner=Owner(name="Eve")).insert(link_rule=WriteRules.WRITE)

    fetched = await Pet.find(Pet.name == "Tom", fetch_links=True).to_list()
    assert [pet.owner.name for pet in fetched] == ["Ada"], fetched
    assert [toy.name for toy in fetched[0].toys] == ["ball", "wool"], fetched
    plain = await Pet.find_one(Pet.name == "Tom")
    assert isinstance(plain.owner, Link) and plain.owner.ref.id == ada.id, plain
    assert (await plain.owner.fetch()).name == "Ada"
    await plain.fetch_all_links()
    assert len(plain.toys) == 2 and plain.toys[0].name == "ball", plain

    by_id = await Pet.find(Pet.owner.id == ada.id).to_list()
    by_name = await Pet.find(Pet.owner.name == "Ada", fetch_links=True).to_list()
    assert [pet.name for pet in by_id] == [pet.name for pet in by_name] == ["Tom"]
    assert await Pet.find(Pet.owner.name == "Eve", fetch_links=True).count() == 1
    owner = await Owner.find_one(Owner.name == "Ada", fetch_links=True)
    assert [pet.name for pet in owner.pets] == ["Tom"], owner
    counts = [{"$group": {"_id": "$owner.$id", "n": {"$sum": {"$size": "$toys"}}}}, {"$sort": {"n": -1}}]
    assert (await Pet.aggregate(counts).to_list())[0] == {"_id": ada.id, "n": 2}


async def expiry(client):
    indexes = await Owner.get_pymongo_collection().index_information()
    assert indexes["seen_at_1"]["expireAfterSeconds"] == KEPT_S, indexes
    eve = await Owner.find_one(Owner.name == "Eve")
    await eve.set({Owner.seen_at: now() + datetime.timedelta(days=1)})
    advance(client, KEPT_S + 60)
    assert [owner.name for owner in await Owner.find().to_list()] == ["Eve"]
    pets = await Pet.find(fetch_links=True).sort("name").to_list()
    assert pets[0].owner.name == "Eve", pets
    # The link is what is left of Ada.
    assert isinstance(pets[1].owner, Link) and await pets[1].owner.fetch() is pets[1].owner, pets
    assert len(pets[1].toys) == 2, pets
    await pets[1].delete(link_rule=DeleteRules.DELETE_LINKS)
    assert await Toy.count() == 0 and await Pet.count() == 1


async def main():
    with MongoClient(os.environ["MAYFLY_URI"]) as client:
        start_now(client)
        async with AsyncMongoClient(os.environ["MAYFLY_URI"], tz_aware=True) as beanie_client:
            await init_beanie(database=beanie_client.pets, document_models=[Owner, Toy, Pet])
            await links()
            await expiry(client)
    print("Beanie: links are fetched and their documents expire")


asyncio.run(main())
