"""Every BSON type goes in and comes out byte for byte: insert, find, update, aggregate, getMore."""

import os
import struct

from bson.codec_options import CodecOptions, DatetimeConversion
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient


def element(kind, name, payload):
    return bytes([kind]) + name.encode() + b"\0" + payload


def document(*elements):
    body = b"".join(elements)
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def text(value):
    data = value.encode()
    return struct.pack("<i", len(data) + 1) + data + b"\0"


def binary(subtype, data):
    return struct.pack("<i", len(data)) + bytes([subtype]) + data


def date(ms):
    return struct.pack("<q", ms)


OBJECT_ID = bytes(range(12))

VALUES = {
    "double": element(0x01, "v", struct.pack("<d", 1.0)),
    "double without fraction in its bits": element(0x01, "v", struct.pack("<d", 2.0**63)),
    "negative zero": element(0x01, "v", struct.pack("<d", -0.0)),
    "NaN": element(0x01, "v", struct.pack("<d", float("nan"))),
    "NaN with a payload": element(0x01, "v", bytes.fromhex("120000000000f87f")),
    "infinity": element(0x01, "v", struct.pack("<d", float("inf"))),
    "negative infinity": element(0x01, "v", struct.pack("<d", float("-inf"))),
    "subnormal double": element(0x01, "v", struct.pack("<q", 1)),
    "string": element(0x02, "v", text("text")),
    "empty string": element(0x02, "v", text("")),
    "string in many scripts": element(0x02, "v", text("Ω עברית 漢字 हिन्दी 👩‍👩‍👧 e\u0301 \u202eabc")),
    "string with a NUL": element(0x02, "v", text("a\0b")),
    "document": element(0x03, "v", document(element(0x10, "a", struct.pack("<i", 1)))),
    "empty document": element(0x03, "v", document()),
    "document with an empty name": element(0x03, "v", document(element(0x0A, "", b""))),
    "document with dots and dollars": element(0x03, "v", document(element(0x0A, "a.b$c", b""))),
    "array": element(0x04, "v", document(element(0x10, "0", struct.pack("<i", 1)), element(0x0A, "1", b""))),
    "empty array": element(0x04, "v", document()),
    **{
        f"binary of subtype {subtype}": element(0x05, "v", binary(subtype, bytes(range(16))))
        for subtype in (0, 1, 3, 4, 5, 6, 7, 8, 9, 128, 255)
    },
    "binary of subtype 2": element(0x05, "v", binary(2, struct.pack("<i", 3) + b"abc")),
    "empty binary": element(0x05, "v", binary(0, b"")),
    "undefined": element(0x06, "v", b""),
    "object id": element(0x07, "v", OBJECT_ID),
    "false": element(0x08, "v", b"\0"),
    "true": element(0x08, "v", b"\1"),
    **{
        f"date {ms}": element(0x09, "v", date(ms))
        for ms in (0, -1, 1704067200123, -62135596800001, 253402300800000, 2**63 - 1, -(2**63))
    },
    "null": element(0x0A, "v", b""),
    "regular expression": element(0x0B, "v", b"^a.*\\d$\0imsx\0"),
    "regular expression without options": element(0x0B, "v", b"a/b\0\0"),
    "db pointer": element(0x0C, "v", text("db.c") + OBJECT_ID),
    "code": element(0x0D, "v", text("function() { return 1 }")),
    "symbol": element(0x0E, "v", text("symbol")),
    "code with scope": element(
        0x0F,
        "v",
        (lambda inner: struct.pack("<i", len(inner) + 4) + inner)(
            text("f()") + document(element(0x10, "x", struct.pack("<i", 1)))
        ),
    ),
    "int32": element(0x10, "v", struct.pack("<i", -(2**31))),
    "timestamp": element(0x11, "v", struct.pack("<II", 7, 1704067200)),
    "timestamp at its end": element(0x11, "v", struct.pack("<II", 2**32 - 1, 2**32 - 1)),
    "int64": element(0x12, "v", struct.pack("<q", 2**63 - 1)),
    "int64 that is small": element(0x12, "v", struct.pack("<q", 1)),
    **{
        f"decimal {hexadecimal}": element(0x13, "v", bytes.fromhex(hexadecimal))
        for hexadecimal in (
            "0100000000000000000000000000403000"[:32],
            "000000000000000000000000000040b0",
            "0000000000000000000000000000007c",
            "00000000000000000000000000000078",
            "000000000000000000000000000000f8",
            "e803000000000000000000000000323000"[:32],
            "ffffffff638e8d37c087adbe09edff5f",
        )
    },
    "min key": element(0xFF, "v", b""),
    "max key": element(0x7F, "v", b""),
}


def main():
    options = CodecOptions(RawBSONDocument, datetime_conversion=DatetimeConversion.DATETIME_MS)
    with MongoClient(os.environ["MAYFLY_URI"]) as client:
        coll = client.types.get_collection("all", codec_options=options)
        sent = {}
        for number, (name, value) in enumerate(VALUES.items()):
            sent[number] = document(element(0x10, "_id", struct.pack("<i", number)), value)
        coll.insert_many(RawBSONDocument(raw, options) for raw in sent.values())
        names = list(VALUES)
        for way, found in (
            ("find", coll.find()),
            ("find in small batches", coll.find(batch_size=3)),
            ("aggregate", coll.aggregate([{"$match": {}}])),
        ):
            got = [d.raw for d in found]
            assert len(got) == len(sent), (way, len(got))
            for number, raw in enumerate(got):
                assert raw == sent[number], f"{way}: {names[number]}: {sent[number].hex()} came back {raw.hex()}"
        for number, raw in sent.items():
            got = coll.find_one({"_id": number})
            assert got.raw == raw, f"find by _id: {names[number]}: {got.raw.hex()}"
        # An update of another field leaves the value's bytes alone.
        coll.update_many({}, {"$set": {"other": 1}})
        other = element(0x10, "other", struct.pack("<i", 1))
        for raw, got in zip(sent.values(), coll.find()):
            expected = document(raw[4:-1], other)
            assert got.raw == expected, f"update: {expected.hex()} became {got.raw.hex()}"
        coll.update_many({}, {"$rename": {"v": "w"}, "$unset": {"other": 1}})
        for number, got in enumerate(coll.find()):
            moved = sent[number].replace(b"v\0", b"w\0", 1)
            assert got.raw == moved, f"rename: {names[number]}: {got.raw.hex()}"
        # A replacement carries the value as it is.
        for number, raw in sent.items():
            coll.replace_one({"_id": number}, RawBSONDocument(raw, options))
            assert coll.find_one({"_id": number}).raw == raw, f"replace: {names[number]}"
    print(f"{len(VALUES)} values of every BSON type keep their bytes")


main()
