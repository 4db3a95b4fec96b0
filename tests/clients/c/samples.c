/* The Cosmos samples in the C driver's own idiom, on the server's simulated clock. */

#include <mongoc/mongoc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE_TRIES 4000

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

/* Runs a command on admin; the caller destroys the reply. */
static void run(mongoc_client_t *client, bson_t *command, bson_t *reply)
{
    bson_error_t error;
    bool ok = mongoc_client_command_simple(client, "admin", command, NULL, reply, &error);
    must(ok, error.message);
    bson_destroy(command);
}

static int64_t passes(mongoc_client_t *client)
{
    bson_t reply;
    run(client, BCON_NEW("serverStatus", BCON_INT32(1)), &reply);
    bson_iter_t iter, found;
    must(bson_iter_init(&iter, &reply) && bson_iter_find_descendant(&iter, "metrics.ttl.passes", &found),
         "serverStatus has metrics.ttl.passes");
    int64_t value = bson_iter_as_int64(&found);
    bson_destroy(&reply);
    return value;
}

/* Advances time by this many seconds, at least one. Returns after the monitor's own pass at the new time. */
static void advance(mongoc_client_t *client, int64_t seconds)
{
    int64_t before = passes(client);
    bson_t reply;
    run(client, BCON_NEW("mayflyClock", BCON_INT32(1), "advanceMS", BCON_INT64(seconds * 1000)), &reply);
    bson_destroy(&reply);
    struct timespec moment = {0, 5000000};
    for (int tries = 0; passes(client) == before; tries++) {
        must(tries < PATIENCE_TRIES, "the TTL monitor made no pass");
        nanosleep(&moment, NULL);
    }
}

static void insert(mongoc_collection_t *coll, bson_t *document)
{
    bson_error_t error;
    must(mongoc_collection_insert_one(coll, document, NULL, NULL, &error), error.message);
    bson_destroy(document);
}

static int64_t count(mongoc_collection_t *coll)
{
    bson_error_t error;
    bson_t all = BSON_INITIALIZER;
    int64_t n = mongoc_collection_count_documents(coll, &all, NULL, NULL, NULL, &error);
    must(n >= 0, error.message);
    return n;
}

#define PARIS "id", BCON_INT32(1), "location", BCON_UTF8("Paris"), "ttl"

int main(void)
{
    mongoc_init();
    mongoc_client_t *client = mongoc_client_new(getenv("MAYFLY_URI"));
    must(client != NULL, "the URI can be read");
    bson_t reply;
    run(client, BCON_NEW("setParameter", BCON_INT32(1), "ttlMonitorSleepSecs", BCON_INT32(1)), &reply);
    bson_destroy(&reply);
    mongoc_database_t *db = mongoc_client_get_database(client, "cosmos");
    mongoc_collection_t *coll = mongoc_client_get_collection(client, "cosmos", "coll");
    bson_t *create = BCON_NEW("createIndexes", BCON_UTF8("coll"), "indexes", "[", "{", "key", "{", "_ts",
                              BCON_INT32(1), "}", "name", BCON_UTF8("_ts_1"), "expireAfterSeconds", BCON_INT64(10),
                              "}", "]");
    bson_error_t error;
    must(mongoc_database_write_command_with_opts(db, create, NULL, NULL, &error), error.message);
    bson_destroy(create);
    insert(coll, BCON_NEW(PARIS, BCON_DOUBLE(20.0)));
    insert(coll, BCON_NEW(PARIS, BCON_INT32(20)));
    insert(coll, BCON_NEW(PARIS, BCON_INT64(20)));
    insert(coll, BCON_NEW(PARIS, BCON_DOUBLE(20.5)));
    insert(coll, BCON_NEW(PARIS, BCON_INT64(2147483649)));
    must(count(coll) == 5, "five documents are there");
    advance(client, 10);
    must(count(coll) == 3, "three are left after 10 s");
    advance(client, 10);
    must(count(coll) == 0, "none is left after 20 s");
    mongoc_collection_destroy(coll);
    mongoc_database_destroy(db);
    mongoc_client_destroy(client);
    mongoc_cleanup();
    printf("C driver %s: samples hold\n", MONGOC_VERSION_S);
    return 0;
}
