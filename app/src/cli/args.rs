//! The arguments.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// See time passing over your documents.
#[derive(Debug, Parser)]
#[command(name = "mayfly", version, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// The data folder to open in the window; without it the platform's data directory.
    pub folder: Option<PathBuf>,
    /// Open a fresh demo store.
    #[arg(long, conflicts_with = "folder")]
    pub demo: bool,
    /// What to do instead of opening the window.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the documents counting down, in the terminal.
    Watch(Watch),
    /// Listen for MongoDB drivers and shells.
    Serve(Serve),
    /// Run the JavaScript console.
    Shell(Later),
    /// Read documents from JSON or CSV files.
    Import(Import),
    /// Write the documents of a collection to a file.
    Export(Export),
    /// Check a data folder: file structure, checksums, documents against indexes, counters.
    Verify(Verify),
    /// Copy a data folder that nobody has open to a file.
    Backup(Backup),
    /// Put a backup in the place of a data folder that nobody has open.
    Restore(Restore),
    /// Give the room of removed documents back to the disk.
    Compact(Compact),
    /// Read everything in a data folder that nobody has open, and tell what is damaged.
    Scrub(Scrub),
    /// Check a backup or a data file without opening it: its structure, and all checksums.
    Check(Check),
    /// Walk the file that is the standard input, for the process that has started this one.
    #[command(hide = true)]
    Walk,
}

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub struct Watch {
    /// The data folder; without it the one that the window opens.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Open a fresh demo store.
    #[arg(long, conflicts_with = "data")]
    pub demo: bool,
    /// Only this database.
    #[arg(long)]
    pub db: Option<String>,
    /// Only this collection.
    #[arg(long, requires = "db")]
    pub collection: Option<String>,
}

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// The data folder; made if there is none.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The port on 127.0.0.1; 0 takes any free one.
    #[arg(long, default_value_t = 27_017)]
    pub port: u16,
    /// Listen on a Unix socket instead of a port, which other users of this machine can't reach: PATH, which ends in
    /// .sock, or socket/mayfly.sock in the data folder.
    #[arg(long, value_name = "PATH", conflicts_with = "port")]
    #[expect(clippy::option_option, reason = "clap's form of a switch that may have a value")]
    pub socket: Option<Option<PathBuf>>,
    /// Let in who can reach the listener without a password: on a port everybody on this machine, on a socket your own
    /// programs.
    #[arg(long)]
    pub no_auth: bool,
    /// Run on a simulated clock that stands still at this time at first, such as 2026-01-01T00:00:00Z.
    #[arg(long, value_name = "RFC3339")]
    pub simulated_clock: Option<String>,
    /// Seconds between two passes of the TTL monitor.
    #[arg(long, value_name = "N")]
    pub sleep_secs: Option<i32>,
}

/// Arguments of what is not supported yet.
#[derive(Debug, clap::Args)]
pub struct Later {
    /// Not read yet.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<String>,
}

/// How a file is read.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum InFormat {
    /// Told by the contents.
    Auto,
    /// Extended JSON: lines, documents one after the other, or an array.
    Json,
    /// Values with a header line.
    Csv,
}

/// What happens to a document whose `_id` is there already.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum InMode {
    /// Reject it.
    Insert,
    /// Skip it.
    Skip,
    /// Let it take the place of the stored one.
    Replace,
    /// Set its fields in the stored one.
    Merge,
}

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Import {
    /// The data folder.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The database.
    #[arg(long)]
    pub db: String,
    /// The collection; created if it does not exist.
    #[arg(long)]
    pub collection: String,
    /// The files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What the files are.
    #[arg(long, value_enum, default_value = "auto")]
    pub format: InFormat,
    /// What happens to a document whose _id is there already.
    #[arg(long, value_enum, default_value = "insert")]
    pub mode: InMode,
    /// Of fields with the same name in one document keep the last, instead of rejecting the document.
    #[arg(long)]
    pub last_duplicate: bool,
    /// Take whole numbers beyond 64 bits as doubles, which changes their digits.
    #[arg(long)]
    pub big_integers: bool,
    /// Take NaN, Infinity and -Infinity without quotes, as Python writes them.
    #[arg(long)]
    pub nan: bool,
    /// Read a $date without a zone in this one: UTC, an offset such as +05:45, or a name such as
    /// Europe/Berlin.
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub zone: Option<String>,
    /// Put U+FFFD in the place of half characters and of bytes that are not UTF-8.
    #[arg(long)]
    pub replace_broken_text: bool,
    /// Drop the collection and its indexes first.
    #[arg(long)]
    pub drop: bool,
    /// Stop at the first rejected document.
    #[arg(long)]
    pub stop_on_error: bool,
    /// Begin also when the disk has less room than the files seem to need.
    #[arg(long)]
    pub no_space_check: bool,
    /// Go on with the import of these files that did not reach its end.
    #[arg(long, conflicts_with_all = ["drop", "roll_back", "leave"])]
    pub resume: bool,
    /// Remove what the import of these files has stored that did not reach its end. Documents that
    /// were changed since stay, and so do those that it replaced or merged.
    #[arg(long, conflicts_with_all = ["drop", "leave"])]
    pub roll_back: bool,
    /// Forget that the import of these files did not reach its end; its documents stay.
    #[arg(long, conflicts_with = "drop")]
    pub leave: bool,
}

/// The form of an exported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutFormat {
    /// One document a line.
    Ndjson,
    /// One JSON array.
    Json,
    /// Values with a header line.
    Csv,
}

/// Which types stay visible in JSON.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum OutEjson {
    /// Numbers and dates plain.
    Relaxed,
    /// Every type written out.
    Canonical,
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// The data folder. Nobody may have it open, so nothing is written to it meanwhile.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The database.
    #[arg(long)]
    pub db: String,
    /// The collection.
    #[arg(long)]
    pub collection: String,
    /// The form of the file.
    #[arg(long, value_enum, default_value = "ndjson")]
    pub format: OutFormat,
    /// The form of Extended JSON; without it relaxed, but large whole numbers keep their type.
    #[arg(long, value_enum)]
    pub ejson: Option<OutEjson>,
    /// Only documents that match this filter, in Extended JSON.
    #[arg(long, value_name = "EJSON")]
    pub filter: Option<String>,
    /// The file.
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: PathBuf,
    /// Pack it with gzip.
    #[arg(long)]
    pub gzip: bool,
    /// Write the indexes beside it, as FILE.indexes.json.
    #[arg(long)]
    pub indexes: bool,
    /// The columns of CSV, separated by commas; without it all fields.
    #[arg(long, value_delimiter = ',')]
    pub fields: Option<Vec<String>>,
    /// Put a quote before CSV text that a spreadsheet would take as a formula. Such a file does not
    /// come back unchanged.
    #[arg(long)]
    pub escape_formulas: bool,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// The data folder.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Arguments of `backup`.
#[derive(Debug, clap::Args)]
pub struct Backup {
    /// The data folder. Nobody may have it open.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The file to write. Backups that it holds already become DEST.1 and DEST.2.
    #[arg(value_name = "DEST")]
    pub dest: PathBuf,
}

/// Arguments of `restore`.
#[derive(Debug, clap::Args)]
pub struct Restore {
    /// The backup.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    /// The data folder; made if there is none.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Take the place of the store in that folder, which is kept as DIR.before-restore-N.
    #[arg(long)]
    pub replace: bool,
}

/// Arguments of `compact`.
#[derive(Debug, clap::Args)]
pub struct Compact {
    /// The data folder. Nobody may have it open.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Arguments of `scrub`.
#[derive(Debug, clap::Args)]
pub struct Scrub {
    /// The data folder. Nobody may have it open.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
