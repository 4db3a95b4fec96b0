// BSON types that JavaScript lacks, with mongosh's constructors.
globalThis.__shell = {};
