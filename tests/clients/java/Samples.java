import com.mongodb.MongoClient;
import com.mongodb.MongoClientURI;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** The samples of both vendors' documentation in the Java driver's own idiom, on the server's simulated clock. */
public class Samples {
    private static final long PATIENCE_MS = 20_000;
    private static MongoDatabase admin;

    private static void must(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static long passes() {
        Document status = admin.runCommand(new Document("serverStatus", 1));
        return ((Number) status.get("metrics", Document.class).get("ttl", Document.class).get("passes")).longValue();
    }

    /** Advances time by this many seconds, at least one. Returns after the monitor's own pass at the new time. */
    private static void advance(long seconds) throws InterruptedException {
        long before = passes();
        admin.runCommand(new Document("mayflyClock", 1).append("advanceMS", seconds * 1000));
        long until = System.currentTimeMillis() + PATIENCE_MS;
        while (passes() == before) {
            must(System.currentTimeMillis() < until, "the TTL monitor made no pass");
            Thread.sleep(5);
        }
    }

    private static Document paris(Object ttl) {
        return new Document("id", 1).append("location", "Paris").append("ttl", ttl);
    }

    private static void cosmos(MongoDatabase db) throws InterruptedException {
        MongoCollection<Document> coll = db.getCollection("coll");
        coll.createIndex(Indexes.ascending("_ts"), new IndexOptions().expireAfter(10L, TimeUnit.SECONDS));
        for (Object ttl : Arrays.<Object>asList(20.0, 20, 20L, 20.5, 2147483649L)) {
            coll.insertOne(paris(ttl));
        }
        must(coll.count() == 5, "five documents");
        advance(10);
        must(coll.count() == 3, coll.count() + " are left after 10 s");
        advance(10);
        must(coll.count() == 0, coll.count() + " are left after 20 s");
    }

    private static void manual(MongoDatabase db) throws InterruptedException {
        Date now = admin.runCommand(new Document("mayflyClock", 1)).getDate("now");
        Date old = new Date(now.getTime() - 7_200_000);
        MongoCollection<Document> log = db.getCollection("eventlog");
        log.insertMany(Arrays.asList(new Document("lastModifiedDate", now), new Document("lastModifiedDate", old)));
        log.createIndex(Indexes.ascending("lastModifiedDate"), new IndexOptions().expireAfter(3600L, TimeUnit.SECONDS));
        advance(1);
        must(log.count() == 1, "the old event is gone");
        MongoCollection<Document> tickets = db.getCollection("tickets");
        tickets.insertOne(new Document("lastModifiedDate", now));
        tickets.createIndex(Indexes.ascending("lastModifiedDate"));
        Document index = new Document("keyPattern", new Document("lastModifiedDate", 1)).append("expireAfterSeconds", 100);
        db.runCommand(new Document("collMod", "tickets").append("index", index));
        advance(101);
        must(tickets.count() == 0, "the ticket is gone");
    }

    private static void everyday(MongoDatabase db) {
        MongoCollection<Document> things = db.getCollection("things");
        List<Document> many = new ArrayList<>();
        for (int n = 0; n < 300; n++) {
            many.add(new Document("_id", n).append("group", n % 3));
        }
        things.insertMany(many);
        must(things.updateMany(Filters.eq("group", 1), Updates.inc("n", 1)).getModifiedCount() == 100, "updateMany");
        must(things.find(Filters.eq("group", 2)).batchSize(7).into(new ArrayList<>()).size() == 100, "find");
        must(things.deleteOne(Filters.eq("_id", 5)).getDeletedCount() == 1, "deleteOne");
        try {
            things.insertOne(new Document("_id", 1));
            must(false, "a second _id 1 was taken");
        } catch (MongoWriteException error) {
            must(error.getCode() == 11000, error.getMessage());
        }
        try {
            things.createIndex(Indexes.ascending("a", "b"), new IndexOptions().expireAfter(1L, TimeUnit.SECONDS));
            must(false, "a compound TTL index was taken");
        } catch (MongoCommandException error) {
            must(error.getErrorCode() == 67, error.getMessage());
        }
        things.drop();
    }

    public static void main(String[] arguments) throws InterruptedException {
        java.util.logging.Logger.getLogger("org.mongodb").setLevel(java.util.logging.Level.WARNING);
        try (MongoClient client = new MongoClient(new MongoClientURI(System.getenv("MAYFLY_URI")))) {
            admin = client.getDatabase("admin");
            admin.runCommand(new Document("setParameter", 1).append("ttlMonitorSleepSecs", 1));
            cosmos(client.getDatabase("cosmos"));
            manual(client.getDatabase("manual"));
            everyday(client.getDatabase("everyday"));
        }
        System.out.println("Java driver: samples and everyday work hold");
    }
}
