// EJSON.
