//! Command line arguments. The doc comments are the text of `--help`.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::audit_args;
use super::lesson_args::Lesson;

/// Below the options of `import`.
const IMPORT_STATUS: &str = "Exit status: 0 if every document was stored or skipped. 1 if one was \
                             rejected, if a collection of a folder was refused or is incomplete, or if \
                             nothing was imported.";

/// Browse MongoDB-style documents and watch them expire.
#[derive(Debug, Parser)]
#[command(name = "mayfly", version, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// Data folder, or files, a folder of mongodump, a backup or lessons. Defaults to the store that was
    /// open last, or your own, or the demo store until you have one.
    pub path: Vec<PathBuf>,
    /// Open the demo store.
    #[arg(long)]
    pub demo: bool,
    /// Open a sandbox, a temporary store on a simulated clock. With --demo, it holds the demo data.
    #[arg(long)]
    pub sandbox: bool,
    /// Start the sandbox's clock at this time, such as 2026-01-01T00:00:00Z. Defaults to the current minute.
    #[arg(long, value_name = "RFC3339", requires = "sandbox")]
    pub at: Option<String>,
    /// Open the window as a presentation: full screen, in large text. F11 or Esc leaves it.
    #[arg(long)]
    pub present: bool,
    /// Command to run instead of opening the window.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// A subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch documents expire in the terminal.
    Watch(Watch),
    /// Audit the TTL rules of a store or a server: what works, what will go, what never will. Writes nothing.
    #[command(after_help = audit_args::STATUS)]
    Audit(audit_args::Audit),
    /// Print the figures of an audit for a system that alerts, or answer with them on a port of this machine.
    Metrics(audit_args::Metrics),
    /// Serve a store to MongoDB drivers and shells.
    Serve(Serve),
    /// Run JavaScript as mongosh does: files, or a prompt.
    Shell(Shell),
    /// List, play and hand out lessons about expiration.
    Lesson(Lesson),
    /// Import documents from JSON, CSV, BSON, Parquet, Arrow or Excel files.
    #[command(after_help = IMPORT_STATUS)]
    Import(Import),
    /// Export a collection to a file.
    Export(Export),
    /// Check a closed store: file structure, checksums, indexes and counters.
    Verify(Verify),
    /// Back up a closed store to a file.
    Backup(Backup),
    /// Restore a backup to a data folder. The store must be closed.
    Restore(Restore),
    /// Reclaim disk space left by removed documents.
    Compact(Compact),
    /// Check every checksum in a closed store and report damage.
    Scrub(Scrub),
    /// Check the structure and checksums of a backup or data file without opening it.
    Check(Check),
    /// Write man pages and shell completions, for packages.
    Generate(Generate),
    /// Check the file on standard input, for the process that started this one.
    #[command(hide = true)]
    Walk,
}

/// Arguments of `watch`.
#[derive(Debug, Default, clap::Args)]
pub struct Watch {
    /// Data folder. Defaults to the one the window opens.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Attach to a server, read-only: the environment variable that holds its connection string. The
    /// string itself is never an argument, because other users can read those.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["data", "demo", "sandbox", "at"])]
    pub uri_env: Option<String>,
    /// Open the demo store.
    #[arg(long, conflicts_with = "data")]
    pub demo: bool,
    /// Open a temporary store with the demo data, on a simulated clock.
    #[arg(long, conflicts_with = "data")]
    pub sandbox: bool,
    /// The time at which the sandbox starts, such as 2026-01-01T00:00:00Z.
    #[arg(long, value_name = "TIME", requires = "sandbox")]
    pub at: Option<String>,
    /// Watch only this database.
    #[arg(long)]
    pub db: Option<String>,
    /// Watch only this collection.
    #[arg(long, requires = "db")]
    pub collection: Option<String>,
}

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Data folder; created if missing.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Port on 127.0.0.1; 0 picks a free port.
    #[arg(long, default_value_t = 27_017)]
    pub port: u16,
    /// Listen on a Unix socket instead of a port. Other users can't connect. PATH must end in
    /// .sock; the default is socket/mayfly.sock in the data folder.
    #[arg(long, value_name = "PATH", conflicts_with = "port")]
    #[expect(clippy::option_option, reason = "clap's form of a switch that may have a value")]
    pub socket: Option<Option<PathBuf>>,
    /// Disable authentication. On a port, any local user can connect; on a socket, only you can.
    #[arg(long)]
    pub no_auth: bool,
    /// Use a simulated clock, paused at this time, such as 2026-01-01T00:00:00Z.
    #[arg(long, value_name = "RFC3339")]
    pub simulated_clock: Option<String>,
    /// Seconds between passes (ttlMonitorSleepSecs).
    #[arg(long, value_name = "N")]
    pub sleep_secs: Option<i32>,
}

/// Arguments of `shell`.
#[derive(Debug, clap::Args)]
pub struct Shell {
    /// Data folder; created if --simulated-clock is given. Defaults to a temporary sandbox.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Attach to a server, read-only: the environment variable that holds its connection string.
    /// The string itself is never an argument, because other users can read those.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["data", "simulated_clock"])]
    pub uri_env: Option<String>,
    /// Database to start in. Defaults to test.
    #[arg(long)]
    pub db: Option<String>,
    /// Use a simulated clock, paused at this time, such as 2026-01-01T00:00:00Z.
    #[arg(long, value_name = "RFC3339")]
    pub simulated_clock: Option<String>,
    /// Run JavaScript and print the value of the last one; runs before the files.
    #[arg(long, value_name = "JS")]
    pub eval: Vec<String>,
    /// Print each value as one line of Extended JSON.
    #[arg(long)]
    pub json: bool,
    /// Print no notes about the store.
    #[arg(long)]
    pub quiet: bool,
    /// Seconds after which a file, an --eval or an input is stopped.
    #[arg(long, value_name = "SECS")]
    pub time_limit: Option<u64>,
    /// JavaScript files to run, in order. Without any, standard input is run.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Format of an imported file.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum InputFormat {
    /// Detect automatically.
    Auto,
    /// Extended JSON: NDJSON, concatenated documents or an array.
    Json,
    /// CSV with a header row.
    Csv,
    /// BSON documents, one after another.
    Bson,
}

/// How to handle an `_id` that already exists.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ConflictMode {
    /// Reject the document.
    Insert,
    /// Skip the document.
    Skip,
    /// Replace the stored document.
    Replace,
    /// Update its fields in the stored document.
    Merge,
}

/// How to handle a value that does not convert.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum UnconvertedMode {
    /// Keep it as it is.
    Keep,
    /// Store null.
    Null,
    /// Reject the document. Blank text becomes null.
    Reject,
}

/// Arguments of `import`.
#[derive(Debug, Clone, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "the switches are independent")]
pub struct Import {
    /// Data folder.
    #[arg(long, value_name = "DIR", required_unless_present = "uri_env")]
    pub data: Option<PathBuf>,
    /// Import into a server: the environment variable that holds its connection string. The string
    /// itself is never an argument, because other users can read those.
    #[arg(long, value_name = "NAME", conflicts_with = "data")]
    pub uri_env: Option<String>,
    /// The collection again, or the databases of a folder, to write to a server that is neither this
    /// machine nor in a private network.
    #[arg(long, value_name = "NAME", requires = "uri_env")]
    pub confirm: Option<String>,
    /// Database. A folder names its own; this one takes its place.
    #[arg(long)]
    pub db: Option<String>,
    /// Collection; created if missing. A folder names its own.
    #[arg(long)]
    pub collection: Option<String>,
    /// Files to import, or one folder that `export` or mongodump wrote, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Input format. A file that is clearly in another one is refused.
    #[arg(long, value_enum, default_value = "auto")]
    pub format: InputFormat,
    /// Encoding of text, such as windows-1252, latin1 or UTF-16LE. Defaults to UTF-8, or to what a
    /// byte order mark names.
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,
    /// Sheet of a workbook. Defaults to its first one.
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// How to handle an _id that already exists.
    #[arg(long, value_enum, default_value = "insert")]
    pub mode: ConflictMode,
    /// If a field appears twice, keep the last value instead of rejecting the document.
    #[arg(long)]
    pub last_duplicate: bool,
    /// Convert integers larger than 64 bits to doubles (loses precision).
    #[arg(long)]
    pub big_integers: bool,
    /// Accept unquoted NaN, Infinity and -Infinity, as Python writes them.
    #[arg(long)]
    pub nan: bool,
    /// Give a field a type: text, int, long, double, decimal, bool, objectId, uuid or date. A date
    /// is ISO 8601, or has a strftime layout (at=date:%d/%m/%Y), or is a number since 1970 (date:s,
    /// date:ms). Repeat it for more fields, or for more layouts of one.
    #[arg(long = "type", value_name = "PATH=TYPE[:LAYOUT]")]
    pub types: Vec<String>,
    /// Give a column of a table another name, which may have dots. OLD is its name in the header
    /// or, for a column without one, the name that the import says. Repeat it for more columns.
    #[arg(long = "rename", value_name = "OLD=NEW")]
    pub renames: Vec<String>,
    /// In CSV, numbers have a comma before their decimals, as 3,14 has. Without this option, a column
    /// is read so if the separator isn't a comma and no value can be thousands.
    #[arg(long)]
    pub decimal_comma: bool,
    /// In CSV, a backslash takes the next character as text, also a quote or a separator; \N is a
    /// missing value. Detected in the first rows.
    #[arg(long)]
    pub backslash_escapes: bool,
    /// How to handle a value that does not convert to its --type.
    #[arg(long, value_enum, default_value = "keep")]
    pub unconverted: UnconvertedMode,
    /// Move the dates of a field that has a --type so that DATE becomes now. Keeps old data from
    /// expiring at once.
    #[arg(long, value_name = "PATH=DATE")]
    pub keep_distance: Vec<String>,
    /// Time zone for dates without one, of $date and --type: UTC, an offset such as +05:45, or a
    /// name such as Europe/Berlin.
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub zone: Option<String>,
    /// Replace bytes that are no character of the encoding, and lone surrogates, with U+FFFD.
    #[arg(long)]
    pub replace_broken_text: bool,
    /// Drop the existing collection and its indexes first.
    #[arg(long)]
    pub drop: bool,
    /// Stop at the first rejected document.
    #[arg(long, conflicts_with = "max_rejects")]
    pub stop_on_error: bool,
    /// Stop after this many rejected documents; 0 never stops. Without it, an import stops after
    /// 1,000, or when more than one in ten of at least 1,000 documents were rejected. Each --resume
    /// counts from 0 again.
    #[arg(long, value_name = "N")]
    pub max_rejects: Option<u64>,
    /// Skip the free-space check.
    #[arg(long)]
    pub no_space_check: bool,
    /// After the documents, create the indexes whose definitions are next to the files, in
    /// FILE.indexes.json. TTL indexes begin to remove documents.
    #[arg(long, conflicts_with_all = ["no_indexes", "roll_back", "leave"])]
    pub indexes: bool,
    /// From a folder, import only these collections, comma-separated.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub only: Vec<String>,
    /// From a folder, leave out these collections, comma-separated.
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "only")]
    pub except: Vec<String>,
    /// Create no indexes, and don't mention those whose definitions are next to the files.
    #[arg(long)]
    pub no_indexes: bool,
    /// From a folder, or a .bson file next to its .metadata.json, create no TTL indexes, so that
    /// nothing expires.
    #[arg(long)]
    pub no_ttl: bool,
    /// Resume the unfinished import of these files. Of a folder, collections that are complete are
    /// read again and their documents skipped.
    #[arg(long, conflicts_with_all = ["drop", "roll_back", "leave"])]
    pub resume: bool,
    /// Roll back the unfinished import of these files. Keeps documents changed since, and documents it
    /// replaced or merged.
    #[arg(long, conflicts_with_all = ["drop", "leave"])]
    pub roll_back: bool,
    /// Discard the unfinished import but keep its documents.
    #[arg(long, conflicts_with = "drop")]
    pub leave: bool,
    /// The file for rejected documents, of standard input.
    #[arg(skip)]
    pub rejects: Option<PathBuf>,
}

/// Format of an exported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// One document per line.
    Ndjson,
    /// A single JSON array.
    Json,
    /// CSV with a header row.
    Csv,
    /// BSON documents, one after another.
    Bson,
}

/// Extended JSON format.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum EjsonFormat {
    /// Plain numbers and dates.
    Relaxed,
    /// All types spelled out.
    Canonical,
}

/// Arguments of `export`.
#[derive(Debug, Clone, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "the switches are independent")]
pub struct Export {
    /// Data folder. The store must be closed.
    #[arg(long, value_name = "DIR", required_unless_present = "uri_env")]
    pub data: Option<PathBuf>,
    /// Export from a server: the environment variable that holds its connection string. The string
    /// itself is never an argument, because other users can read those.
    #[arg(long, value_name = "NAME", conflicts_with = "data")]
    pub uri_env: Option<String>,
    /// Database. Without --collection, all of it becomes a folder; without both, the whole store or server
    /// does.
    #[arg(long)]
    pub db: Option<String>,
    /// Collection, which becomes a file.
    #[arg(long, requires = "db")]
    pub collection: Option<String>,
    /// Into the folder, export only these collections, comma-separated.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME",
        requires = "db",
        conflicts_with = "collection"
    )]
    pub only: Vec<String>,
    /// Output format. Defaults to what the file's name ends in, .csv or .bson, and else to ndjson.
    #[arg(long, value_enum, requires = "collection")]
    pub format: Option<OutputFormat>,
    /// Extended JSON format. Defaults to relaxed, except that large integers keep their type.
    #[arg(long, value_enum, requires = "collection")]
    pub ejson: Option<EjsonFormat>,
    /// Export only documents that match this filter, in Extended JSON.
    #[arg(long, value_name = "EJSON", requires = "collection")]
    pub filter: Option<String>,
    /// Write documents in this order, in Extended JSON, such as '{"at": -1}'.
    #[arg(long, value_name = "EJSON", requires = "collection")]
    pub sort: Option<String>,
    /// Write only these fields, in Extended JSON, such as '{"name": 1}'.
    #[arg(long, value_name = "EJSON", requires = "collection")]
    pub projection: Option<String>,
    /// Skip this many documents.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "collection")]
    pub skip: u64,
    /// Write at most this many documents; 0 writes all.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "collection")]
    pub limit: u64,
    /// Index to use: its name, or its keys in Extended JSON.
    #[arg(long, value_name = "INDEX", requires = "collection")]
    pub hint: Option<String>,
    /// How text in the filter and the sort compares, in Extended JSON, such as '{"locale": "de"}'.
    #[arg(long, value_name = "EJSON", requires = "collection")]
    pub collation: Option<String>,
    /// Output file, or - for standard output, or the folder: a new or an empty one. It gets
    /// DB/COLLECTION.bson with metadata, as of mongodump, and manifest.json, which `import` checks.
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the output file if it exists.
    #[arg(long, requires = "collection")]
    pub overwrite: bool,
    /// The output is then copied to standard output.
    #[arg(skip)]
    pub is_piped: bool,
    /// Compress the output with gzip.
    #[arg(long)]
    pub gzip: bool,
    /// Compress the output with zstd.
    #[arg(long, conflicts_with = "gzip")]
    pub zstd: bool,
    /// Also write index definitions to FILE.indexes.json.
    #[arg(long, requires = "collection")]
    pub indexes: bool,
    /// CSV columns, comma-separated. Defaults to all fields.
    #[arg(long, value_delimiter = ',', requires = "collection")]
    pub fields: Option<Vec<String>>,
    /// Fields that get no CSV column, comma-separated.
    #[arg(long, value_delimiter = ',', conflicts_with = "fields", requires = "collection")]
    pub exclude_fields: Vec<String>,
    /// CSV whose header names the type of each column, as mongoimport --columnsHaveTypes. An import
    /// keeps every value. Columns of other or mixed types have `ejson()`, which only
    /// Mayfly reads.
    #[arg(long, conflicts_with = "escape_formulas", requires = "collection")]
    pub typed_header: bool,
    /// CSV for spreadsheets: a quote before text that looks like a formula, and empty cells for null.
    /// The file can't be reimported unchanged.
    #[arg(long, requires = "collection")]
    pub escape_formulas: bool,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// Data folder.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Arguments of `backup`.
#[derive(Debug, clap::Args)]
pub struct Backup {
    /// Data folder. The store must be closed.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Backup file to write. Earlier backups are kept as DEST.1 and DEST.2.
    #[arg(value_name = "DEST")]
    pub dest: PathBuf,
}

/// Arguments of `restore`.
#[derive(Debug, clap::Args)]
pub struct Restore {
    /// Backup file.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    /// Data folder; created if missing.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Replace the store in DIR; the old one is kept as DIR.before-restore-N.
    #[arg(long)]
    pub replace: bool,
}

/// Arguments of `compact`.
#[derive(Debug, clap::Args)]
pub struct Compact {
    /// Data folder. The store must be closed.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Arguments of `scrub`.
#[derive(Debug, clap::Args)]
pub struct Scrub {
    /// Data folder. The store must be closed.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// Backup or data file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Arguments of `generate`.
#[derive(Debug, clap::Args)]
pub struct Generate {
    /// Folder to write into, laid out like /usr/share; created if missing.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;

    /// The chapter of the user guide.
    const CHAPTER: &str = include_str!("../../../../assets/guide/09-command-line.md");

    fn options(command: &clap::Command, found: &mut BTreeSet<String>) {
        found.extend(command.get_arguments().filter_map(clap::Arg::get_long).map(str::to_owned));
        for inner in command.get_subcommands() {
            options(inner, found);
        }
    }

    #[test]
    fn the_guide_has_every_command_and_only_options_that_exist() {
        let args = Args::command();
        for command in args.get_subcommands().filter(|command| !command.is_hide_set()) {
            let heading = format!("\n## mayfly {}\n", command.get_name());
            assert!(CHAPTER.contains(&heading), "no section{heading}");
        }
        let mut known = BTreeSet::from(["help".to_owned()]);
        options(&args, &mut known);
        let words = CHAPTER.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
        let named: Vec<&str> = words
            .filter_map(|word| word.strip_prefix("--"))
            .filter(|name| name.starts_with(char::is_alphabetic))
            .collect();
        assert!(named.len() > 30, "{named:?}");
        for name in named {
            assert!(known.contains(name), "--{name} is no option");
        }
    }
}
