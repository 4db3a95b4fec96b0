//! Arguments of `mayfly audit`. The doc comments are the text of `--help`.

use std::path::PathBuf;

/// Below the options of `audit`.
pub(super) const STATUS: &str = "Exit status: 0 if the audit ran. 1 if there is a finding at or above \
                                 --fail-on. 2 if it could not run, or, with --fail-on, if it did not \
                                 finish.";

/// The severity that makes `audit` fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    /// Only errors.
    Error,
    /// Errors and warnings.
    Warning,
}

/// The store or server, and the part of it that is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Audited {
    /// Data folder. Defaults to the one the window opens. The store must be closed; it is opened read-only.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Audit a server, with reads only: the environment variable that holds its connection string. The
    /// string itself is never an argument, because other users can read those.
    #[arg(long, value_name = "NAME", conflicts_with = "data")]
    pub uri_env: Option<String>,
    /// Audit only this database. May be repeated.
    #[arg(long)]
    pub db: Vec<String>,
    /// Audit only collections of this name. May be repeated.
    #[arg(long)]
    pub collection: Vec<String>,
}

/// Arguments of `audit`.
#[derive(Debug, Default, clap::Args)]
pub struct Audit {
    #[command(flatten)]
    pub of: Audited,
    /// Stop after this time, such as 60s or 5m. Collections that were not read are listed as not finished.
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub time_limit: String,
    /// Print JSON.
    #[arg(long, conflicts_with_all = ["html", "markdown"])]
    pub json: bool,
    /// Write one HTML file, without scripts or network. It replaces a file of this name; - is
    /// standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "markdown")]
    pub html: Option<PathBuf>,
    /// Print Markdown.
    #[arg(long)]
    pub markdown: bool,
    /// Exit with 1 if there is a finding of this severity or a worse one.
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Leave out the _id of an example document.
    #[arg(long)]
    pub no_examples: bool,
}

/// Arguments of `metrics`.
#[derive(Debug, clap::Args)]
pub struct Metrics {
    #[command(flatten)]
    pub of: Audited,
    /// Stop reading after this time, such as 20s or 5m.
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub time_limit: String,
    /// Answer at http://127.0.0.1:PORT/metrics until a signal arrives; 0 chooses a free port, which is printed.
    /// Figures are at most 30 seconds old. Without it they are printed once.
    #[arg(long)]
    pub port: Option<u16>,
}
