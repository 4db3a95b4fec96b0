"""mongoeco in memory, with one user."""

import asyncio

from launch import announce, follow_input
from mongoeco.wire.auth import WireAuthUser
from mongoeco.wire.proxy import AsyncMongoEcoProxyServer


async def serve():
    ada = WireAuthUser("ada", "lovelace", mechanisms=("SCRAM-SHA-256",))
    server = AsyncMongoEcoProxyServer(auth_users=(ada,))
    address = await server.start()
    announce(address.port)
    await asyncio.Event().wait()


follow_input()
asyncio.run(serve())
