//! Every command and option of the program that takes a server, on both kinds of server.
//!
//! The program's help lists them, the table here has their runs. A new option fails the first test until
//! a run names it, which says what the server and the files have after that.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

use bson::{DateTime, Document, doc};
use mayfly_tests::documentdb::{DocumentDb, Habits};
use mayfly_tests::program;

/// The variable that holds the connection string.
const VARIABLE: &str = "MAYFLY_TEST_SERVER";

/// One run of the program.
struct Run {
    /// The command.
    command: &'static str,
    /// The options that this run is about.
    options: &'static [&'static str],
    /// A file that is there before: its name and text.
    file: (&'static str, &'static str),
    /// The arguments after `COMMAND --uri-env VARIABLE`.
    arguments: &'static [&'static str],
    /// Its exit code.
    code: i32,
    /// Words that it says.
    says: &'static str,
    /// The state of the server or the files after that.
    then: fn(&Place),
}

/// The surroundings of a run.
struct Place {
    server: DocumentDb,
    folder: tempfile::TempDir,
}

/// Three documents and an index.
fn place(habits: Habits) -> Place {
    let server = DocumentDb::start(habits);
    let at = DateTime::from_millis(server.now_ms());
    let documents =
        (1..=3).map(|id| doc! { "_id": id, "n": 4 - id, "name": format!("n{id}"), "at": at });
    server.prepare("d", &doc! { "insert": "c", "documents": documents.collect::<Vec<_>>() });
    let index = doc! { "key": { "n": 1 }, "name": "n_1" };
    server.prepare("d", &doc! { "createIndexes": "c", "indexes": [index] });
    Place { server, folder: tempfile::tempdir().expect("a folder") }
}

impl Place {
    fn run(&self, run: &Run) -> Output {
        if !run.file.0.is_empty() {
            let path = self.folder.path().join(run.file.0);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, run.file.1).expect("a file");
        }
        let mut command = program::keeping_in(&self.folder.path().join("kept"));
        command.args([run.command, "--uri-env", VARIABLE]).args(run.arguments);
        command.env(VARIABLE, self.server.uri()).current_dir(self.folder.path());
        command.output().expect("it starts")
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    fn stored(&self, collection: &str) -> Vec<Document> {
        let found = self.server.stored("d", collection).into_iter();
        found.map(|one| Document::try_from(one).expect("a document")).collect()
    }

    fn one(&self, id: i32) -> Document {
        let mut found = self.stored("c").into_iter();
        found.find(|one| one.get_i32("_id").ok() == Some(id)).expect("a document")
    }

    fn is_unchanged(&self) {
        assert_eq!(self.server.writes(), [""; 0]);
        assert_eq!(self.stored("c").len(), 3);
    }
}

const RUNS: &[&[Run]] = &[IMPORTS, EXPORTS, SHELLS, WATCHES, AUDITS];

macro_rules! run {
    ($command:literal $options:tt $file:tt $arguments:tt $code:literal $says:literal $then:expr) => {
        Run {
            command: $command,
            options: &$options,
            file: $file,
            arguments: &$arguments,
            code: $code,
            says: $says,
            then: $then,
        }
    };
}

const NONE: (&str, &str) = ("", "");
const MORE: (&str, &str) = ("more.json", "{\"_id\": 1, \"x\": 1}\n{\"_id\": 7, \"x\": 1}\n");

const IMPORTS: &[Run] = &[
    run!("import" ["uri-env", "db", "collection", "mode"] MORE
        ["--db", "d", "--collection", "c", "more.json"] 1 "imported 1, skipped 0, rejected 1"
        |place| assert_eq!(place.one(7), doc! { "_id": 7, "x": 1 })),
    run!("import" ["mode"] MORE
        ["--db", "d", "--collection", "c", "--mode", "skip", "more.json"] 0 "imported 1, skipped 1, rejected 0"
        |place| assert_eq!(place.one(1).get_i32("n").ok(), Some(3))),
    run!("import" ["mode"] MORE
        ["--db", "d", "--collection", "c", "--mode", "replace", "more.json"] 0 "imported 2, skipped 0, rejected 0"
        |place| assert_eq!(place.one(1), doc! { "_id": 1, "x": 1 })),
    run!("import" ["mode"] MORE
    ["--db", "d", "--collection", "c", "--mode", "merge", "more.json"] 0 "imported 2, skipped 0, rejected 0"
    |place| {
        let one = place.one(1);
        assert_eq!((one.get_i32("n").ok(), one.get_i32("x").ok()), (Some(3), Some(1)));
        let raw = &place.server.stored("d", "c")[0];
        assert_eq!(raw.iter().filter(|field| field.as_ref().is_ok_and(|(name, _)| name.as_str() == "_id")).count(), 1);
    }),
    run!("import" ["confirm"] MORE
        ["--db", "d", "--collection", "new", "--confirm", "new", "more.json"] 0 "imported 2"
        |place| assert_eq!(place.stored("new").len(), 2)),
    run!("import" ["format", "type", "unconverted", "zone"] ("more.txt", "_id,at,k\n8,2026-01-02 03:04:05,x\n")
    ["--db", "d", "--collection", "new", "--format", "csv", "--type", "at=date:%Y-%m-%d %H:%M:%S",
     "--type", "k=int", "--unconverted", "null", "--zone", "+01:00", "more.txt"] 0 "imported 1"
    |place| {
        let at = DateTime::parse_rfc3339_str("2026-01-02T02:04:05Z").expect("a date");
        assert_eq!(place.stored("new"), [doc! { "_id": 8, "at": at, "k": null }]);
    }),
    run!("import" ["rename"] ("r.csv", "\"\",n\n8,1\n")
    ["--db", "d", "--collection", "new", "--rename", "field0=_id", "r.csv"] 0 "imported 1"
    |place| assert_eq!(place.stored("new"), [doc! { "_id": 8, "n": 1 }])),
    run!("import" ["encoding"] ("latin.csv", "_id,n\n8,ä\n")
    ["--db", "d", "--collection", "new", "--encoding", "latin1", "latin.csv"] 0 "imported 1"
    |place| assert_eq!(place.stored("new"), [doc! { "_id": 8, "n": "Ã¤" }])),
    run!("import" ["decimal-comma", "backslash-escapes"] ("c.csv", "_id,n,t\n8,\"1,5\",a\\,b\n")
    ["--db", "d", "--collection", "new", "--decimal-comma", "--backslash-escapes", "c.csv"] 0 "imported 1"
    |place| assert_eq!(place.stored("new"), [doc! { "_id": 8, "n": 1.5, "t": "a,b" }])),
    // Only a workbook has sheets.
    run!("import" ["sheet"] MORE
        ["--db", "d", "--collection", "new", "--sheet", "2024", "more.json"] 0 "imported 2"
        |place| assert_eq!(place.stored("new").len(), 2)),
    run!("import" ["last-duplicate", "big-integers", "nan"]
    ("odd.json", "{\"_id\": 8, \"a\": 1, \"a\": 2, \"b\": 36893488147419103232, \"c\": Infinity}\n")
    ["--db", "d", "--collection", "new", "--last-duplicate", "--big-integers", "--nan", "odd.json"] 0 "imported 1"
    |place| {
        let wanted = doc! { "_id": 8, "a": 2, "b": 36_893_488_147_419_103_232.0, "c": f64::INFINITY };
        assert_eq!(place.stored("new"), [wanted]);
    }),
    run!("import" ["keep-distance"] ("old.json", "{\"_id\": 8, \"at\": \"2020-01-01T00:00:10Z\"}\n")
    ["--db", "d", "--collection", "new", "--type", "at=date", "--keep-distance", "at=2020-01-01T00:00:00Z", "old.json"]
    0 "imported 1"
    |place| {
        let at = place.stored("new")[0].get_datetime("at").expect("a date").timestamp_millis();
        let apart = at - place.server.now_ms();
        assert!((10_000..70_000).contains(&apart), "by the server's clock: {apart}");
    }),
    run!("import" ["replace-broken-text"] ("lone.json", "{\"_id\": 8, \"a\": \"x\\ud800y\"}\n")
        ["--db", "d", "--collection", "new", "--replace-broken-text", "lone.json"] 0 "imported 1"
        |place| assert_eq!(place.stored("new"), [doc! { "_id": 8, "a": "x\u{fffd}y" }])),
    run!("import" ["drop"] MORE ["--db", "d", "--collection", "c", "--drop", "more.json"] 0 "imported 2"
        |place| assert_eq!(place.stored("c").len(), 2)),
    run!("import" ["stop-on-error"] MORE
        ["--db", "d", "--collection", "c", "--stop-on-error", "more.json"] 1 "imported 0, skipped 0, rejected 1"
        |place| assert_eq!(place.stored("c").len(), 3)),
    run!("import" ["no-space-check", "no-indexes"] MORE
        ["--db", "d", "--collection", "new", "--no-space-check", "--no-indexes", "more.json"] 0 "imported 2"
        |place| assert_eq!(place.stored("new").len(), 2)),
    run!("import" ["indexes"] MORE
        ["--db", "d", "--collection", "c", "--indexes", "more.json"] 1 "--indexes is not supported for a server"
        Place::is_unchanged),
    run!("import" ["files", "no-ttl"] ("new/c.bson", "\u{15}\0\0\0\u{10}_id\0\u{8}\0\0\0\u{10}n\0\u{1}\0\0\0\0")
    ["--no-ttl", "new"] 0 "imported 1"
    |place| {
        let stored = place.server.stored("new", "c");
        assert_eq!(stored, [bson::rawdoc! { "_id": 8, "n": 1 }]);
    }),
    run!("import" ["only"] MORE
        ["--db", "d", "--collection", "c", "--only", "x", "more.json"] 1 "--only needs a folder"
        Place::is_unchanged),
    run!("import" ["no-ttl"] MORE
        ["--db", "d", "--collection", "c", "--no-ttl", "more.json"] 1 "--no-ttl needs a folder"
        Place::is_unchanged),
    run!("import" ["except"] MORE
        ["--db", "d", "--collection", "c", "--except", "x", "more.json"] 1 "--except needs a folder"
        Place::is_unchanged),
    run!("import" ["except"] ("new/c.bson", "\u{15}\0\0\0\u{10}_id\0\u{8}\0\0\0\u{10}n\0\u{1}\0\0\0\0")
        ["--except", "c", "new"] 1 "Nothing was imported" Place::is_unchanged),
    run!("import" ["max-rejects"] ("bad.json", "{x}\n{x}\n{\"_id\": 8}\n")
        ["--db", "d", "--collection", "new", "--max-rejects", "2", "bad.json"] 1 "Add --max-rejects" Place::is_unchanged),
    run!("import" ["max-rejects"] ("bad.json", "{x}\n{x}\n{\"_id\": 8}\n")
        ["--db", "d", "--collection", "new", "--max-rejects", "3", "bad.json"] 1 "imported 1, skipped 0, rejected 2"
        |place| assert_eq!(place.stored("new").len(), 1)),
    run!("import" ["data"] MORE
        ["--data", "x", "--db", "d", "--collection", "c", "more.json"] 2 "cannot be used with" Place::is_unchanged),
    run!("import" ["resume"] MORE
        ["--resume", "--db", "d", "--collection", "c", "more.json"] 1 "There is no unfinished import" Place::is_unchanged),
    run!("import" ["roll-back"] MORE
        ["--roll-back", "--db", "d", "--collection", "c", "more.json"] 1 "There is no unfinished import" Place::is_unchanged),
    run!("import" ["leave"] MORE
        ["--leave", "--db", "d", "--collection", "c", "more.json"] 1 "There is no unfinished import" Place::is_unchanged),
];

/// An export of `d.c` with more arguments into `out`, which changes nothing.
macro_rules! export {
    ($options:tt [$($argument:literal),*] $code:literal $says:literal $text:expr) => {
        run!("export" $options NONE ["--db", "d", "--collection", "c", "-o", "out", $($argument),*] $code $says
            |place| {
                place.is_unchanged();
                let text: Option<&str> = $text;
                let path = place.folder.path().join("out");
                assert_eq!(path.exists(), text.is_some());
                if let Some(text) = text {
                    assert_eq!(place.file("out"), text);
                }
            })
    };
}

const FIRST: &str =
    "{\"_id\":1,\"n\":3,\"name\":\"n1\",\"at\":{\"$date\":\"2026-06-01T12:00:00Z\"}}\n";
const NAMES: &str = "{\"_id\":3,\"name\":\"n3\"}\n{\"_id\":2,\"name\":\"n2\"}\n";

const EXPORTS: &[Run] = &[
    export!(["uri-env", "db", "collection", "output", "filter"] ["--filter", "{\"_id\":1}"] 0 "exported 1" Some(FIRST)),
    export!(["sort", "projection", "skip", "limit"]
        ["--sort", "{\"n\":1}", "--projection", "{\"name\":1}", "--limit", "2"] 0 "exported 2" Some(NAMES)),
    export!(["skip"] ["--skip", "2", "--projection", "{\"_id\":1}"] 0 "exported 1" Some("{\"_id\":3}\n")),
    export!(["hint"] ["--hint", "n_1", "--projection", "{\"_id\":1}"] 0 "exported 3" Some("{\"_id\":3}\n{\"_id\":2}\n{\"_id\":1}\n")),
    export!(["hint"] ["--hint", "{\"n\":1}", "--limit", "1", "--projection", "{\"_id\":1}"] 0 "exported 1" Some("{\"_id\":3}\n")),
    export!(["hint"] ["--hint", "none"] 1 "hint" None),
    export!(["collation"] ["--collation", "{\"locale\":\"en\",\"strength\":2}", "--filter", "{\"name\":\"N2\"}",
        "--projection", "{\"_id\":1}"] 0 "exported 1" Some("{\"_id\":2}\n")),
    export!(["format"] ["--format", "json", "--projection", "{\"_id\":1}", "--limit", "1"] 0 "exported 1" Some("[\n{\"_id\":1}\n]\n")),
    export!(["ejson"] ["--ejson", "canonical", "--projection", "{\"_id\":1}", "--limit", "1"] 0 "exported 1"
        Some("{\"_id\":{\"$numberInt\":\"1\"}}\n")),
    export!(["format", "exclude-fields", "escape-formulas"]
        ["--format", "csv", "--exclude-fields", "at,n", "--escape-formulas", "--limit", "1"] 0 "exported 1"
        Some("_id,name\r\n1,n1\r\n")),
    run!("export" ["format"] NONE ["--db", "d", "--collection", "c", "-o", "out", "--format", "bson"] 0 "exported 3"
    |place| {
        let bytes: Vec<u8> = place.server.stored("d", "c").iter().flat_map(|one| one.as_bytes().to_vec()).collect();
        assert_eq!(fs::read(place.folder.path().join("out")).expect("a file"), bytes);
    }),
    run!("export" ["gzip"] NONE ["--db", "d", "--collection", "c", "-o", "out", "--gzip"] 0 "exported 3"
    |place| {
        let bytes = fs::read(place.folder.path().join("out")).expect("a file");
        assert_eq!(bytes[..2], [0x1f, 0x8b]);
    }),
    run!("export" ["zstd"] NONE ["--db", "d", "--collection", "c", "-o", "out", "--zstd"] 0 "exported 3"
    |place| {
        let bytes = fs::read(place.folder.path().join("out")).expect("a file");
        assert_eq!(bytes[..2], [0x28, 0xb5]);
    }),
    run!("export" ["overwrite"] ("out", "old") ["--db", "d", "--collection", "c", "-o", "out"] 1 "out exists; add --overwrite"
        |place| assert_eq!(place.file("out"), "old")),
    run!("export" ["overwrite"] ("out", "old")
        ["--db", "d", "--collection", "c", "-o", "out", "--overwrite"] 0 "exported 3"
        |place| assert_eq!(place.file("out").lines().count(), 3)),
    run!("export" ["output"] NONE ["--db", "d", "--collection", "c", "-o", "-", "--filter", "{\"_id\":1}"] 0 "{\"_id\":1,\"n\":3"
        Place::is_unchanged),
    export!(["indexes"] ["--indexes"] 1 "--indexes is not supported for a server" None),
    export!(["fields"] ["--format", "csv", "--fields", "n", "--limit", "1"] 0 "exported 1" Some("n\r\n3\r\n")),
    export!(["typed-header"] ["--format", "csv", "--typed-header", "--exclude-fields", "at,n", "--limit", "1"] 0 "exported 1"
        Some("_id.int32(),name.string()\r\n1,n1\r\n")),
    export!(["data"] ["--data", "x"] 2 "cannot be used with" None),
    run!("export" ["only"] NONE ["--db", "d", "--only", "c", "-o", "dump"] 0 "exported 3"
    |place| {
        place.is_unchanged();
        let bytes: Vec<u8> = place.server.stored("d", "c").iter().flat_map(|one| one.as_bytes().to_vec()).collect();
        assert_eq!(fs::read(place.folder.path().join("dump/d/c.bson")).expect("a file"), bytes);
        assert!(place.file("dump/d/c.metadata.json").contains("n_1"));
        assert!(place.file("dump/manifest.json").contains("xxh3"));
    }),
    run!("export" ["gzip"] NONE ["--db", "d", "--gzip", "-o", "dump"] 0 "exported 3"
    |place| {
        place.is_unchanged();
        let bytes = fs::read(place.folder.path().join("dump/d/c.bson.gz")).expect("a file");
        assert_eq!(bytes[..2], [0x1f, 0x8b]);
    }),
    run!("export" ["zstd"] NONE ["--zstd", "-o", "dump"] 0 "exported 3"
    |place| assert!(place.folder.path().join("dump/d/c.bson.zst").is_file())),
];

const SHELLS: &[Run] = &[
    run!("shell" ["uri-env", "db", "eval", "json", "quiet", "time-limit"] NONE
        ["--db", "d", "--json", "--quiet", "--time-limit", "20", "--eval", "db.c.find({n: {$gt: 1}}).toArray().length"]
        0 "2" Place::is_unchanged),
    run!("shell" ["files"] ("script.js", "print('sum ' + db.getSiblingDB('d').c.countDocuments({}))\n") ["script.js"]
        0 "sum 3" Place::is_unchanged),
    run!("shell" ["eval"] NONE ["--db", "d", "--eval", "db.c.drop()"] 1 "read-only" Place::is_unchanged),
    run!("shell" ["data"] NONE ["--data", "x"] 2 "cannot be used with" Place::is_unchanged),
    run!("shell" ["simulated-clock"] NONE ["--simulated-clock", "2026-01-01T00:00:00Z"] 2 "cannot be used with"
        Place::is_unchanged),
];

const WATCHES: &[Run] = &[
    run!("watch" ["uri-env"] NONE [] 0 "no more documents to expire" Place::is_unchanged),
    run!("watch" ["db", "collection"] NONE
        ["--db", "d", "--collection", "c"] 0 "no more documents to expire" Place::is_unchanged),
    run!("watch" ["data"] NONE ["--data", "x"] 2 "cannot be used with" Place::is_unchanged),
    run!("watch" ["demo"] NONE ["--demo"] 2 "cannot be used with" Place::is_unchanged),
    run!("watch" ["sandbox"] NONE ["--sandbox"] 2 "cannot be used with" Place::is_unchanged),
    run!("watch" ["at"] NONE ["--at", "2026-01-01T00:00:00Z"] 2 "cannot be used with" Place::is_unchanged),
];

const AUDITS: &[Run] = &[
    run!("audit" ["uri-env", "time-limit"] NONE ["--time-limit", "30s"] 0 "TTL audit of" Place::is_unchanged),
    run!("audit" ["db", "collection", "markdown"] NONE
        ["--db", "d", "--collection", "c", "--markdown"] 0 "# TTL audit of" Place::is_unchanged),
    run!("audit" ["collection"] NONE ["--collection", "x"] 2 "There is no collection x; check --collection and --db."
        Place::is_unchanged),
    // The clock of the server stands still, which is an error.
    run!("audit" ["json", "fail-on", "no-examples"] NONE ["--json", "--no-examples", "--fail-on", "error"]
        1 "\"audit\": 1" Place::is_unchanged),
    run!("audit" ["html"] NONE ["--html", "audit.html"] 0 ""
    |place| {
        place.is_unchanged();
        assert!(place.file("audit.html").starts_with("<!DOCTYPE html>"));
    }),
    run!("audit" ["data"] NONE ["--data", "x"] 2 "cannot be used with" Place::is_unchanged),
    run!("metrics" ["uri-env", "db", "collection", "time-limit"] NONE
        ["--db", "d", "--collection", "c", "--time-limit", "30s"] 0 "# TYPE mayfly_audit_findings gauge"
        Place::is_unchanged),
    run!("metrics" ["port"] NONE ["--port", "x"] 2 "invalid value 'x' for '--port" Place::is_unchanged),
    run!("metrics" ["data"] NONE ["--data", "x"] 2 "cannot be used with" Place::is_unchanged),
];

#[test]
fn databases_are_listed_with_a_size_or_without() {
    for (habits, has_size) in [(Habits::documentdb(), false), (Habits::mongodb(), true)] {
        let place = place(habits);
        let arguments = &["--quiet", "--eval", "show dbs"];
        let run = run!("shell" ["eval"] NONE ["--quiet"] 0 "d" Place::is_unchanged);
        let output = place.run(&Run { arguments, ..run });
        let text = String::from_utf8(output.stdout).expect("text");
        let line = text.lines().find(|line| line.starts_with('d')).expect("the database");
        assert_eq!(line.split_whitespace().count(), if has_size { 3 } else { 1 }, "{text}");
    }
}

fn help(arguments: &[&str]) -> String {
    let output = Command::new(program::path()).args(arguments).arg("--help").output();
    String::from_utf8(output.expect("it starts").stdout).expect("text")
}

/// The options that a help text lists, and `files` if it takes some.
fn options(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim_start);
    let long = lines.filter_map(|line| {
        let line =
            line.split_once(", ").filter(|(short, _)| short.len() == 2).map_or(line, |it| it.1);
        let name = line.strip_prefix("--")?;
        Some(name.split([' ', '=']).next()?.to_owned())
    });
    long.filter(|name| name != "help").collect()
}

fn commands() -> BTreeSet<String> {
    let text = help(&[]);
    let list = text.split("Commands:").nth(1).expect("commands");
    let lines = list.lines().skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

fn runs() -> impl Iterator<Item = &'static Run> {
    RUNS.iter().copied().flatten()
}

#[test]
fn every_option_of_a_command_for_servers_has_a_run() {
    let mut for_servers = BTreeSet::new();
    for command in commands() {
        let known = options(&help(&[&command]));
        if !known.contains("uri-env") {
            continue;
        }
        let of = runs().filter(|run| run.command == command);
        let mut named: BTreeSet<String> =
            of.flat_map(|run| run.options).map(|option| (*option).to_owned()).collect();
        named.remove("files");
        assert_eq!(named, known, "{command}");
        for_servers.insert(command);
    }
    let named: BTreeSet<String> = runs().map(|run| run.command.to_owned()).collect();
    assert_eq!(named, for_servers);
}

#[test]
fn every_option_works_on_both_kinds_of_server_or_says_why_not() {
    let mut failed = Vec::new();
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        for run in runs() {
            let place = place(habits);
            let output = place.run(run);
            let text = [output.stdout, output.stderr]
                .map(|it| String::from_utf8_lossy(&it).into_owned())
                .concat();
            let is_said = output.status.code() == Some(run.code) && text.contains(run.says);
            let checked = std::panic::AssertUnwindSafe(|| (run.then)(&place));
            if !is_said || std::panic::catch_unwind(checked).is_err() {
                failed.push(format!(
                    "{} {:?}: {:?} {text}",
                    run.command,
                    run.arguments,
                    output.status.code()
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
