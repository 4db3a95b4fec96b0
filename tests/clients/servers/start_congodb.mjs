// CongoDB in memory: node start_congodb.mjs MODULE. As launch.py does it, it says where it listens and ends
// with its standard input.
import { pathToFileURL } from 'node:url';

const { CongoServer } = await import(pathToFileURL(process.argv[2]));
const server = new CongoServer({ port: 0, host: '127.0.0.1', storage: 'memory' });
await server.start();
console.log(`listening on ${server.server.address().port}`);
process.stdin.on('end', () => process.exit(0)).resume();
