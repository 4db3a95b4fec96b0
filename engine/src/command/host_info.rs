//! `hostInfo`: the computer under the server.

use bson::{DateTime, doc};

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{hostInfo: 1}`
pub static COMMAND: Command =
    Command { name: "hostInfo", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cores = i32::try_from(cores).unwrap_or(i32::MAX);
    raw(&doc! {
        "system": {
            "currentTime": DateTime::from_millis(context.now_ms()),
            "hostname": hostname(),
            "cpuAddrSize": i32::try_from(usize::BITS).unwrap_or(64),
            "memSizeMB": memory_mb(),
            "memLimitMB": memory_mb(),
            "numCores": cores,
            "numCoresAvailableToProcess": cores,
            "cpuArch": std::env::consts::ARCH,
            "numaEnabled": false,
        },
        "os": { "type": os_type(), "name": std::env::consts::OS, "version": "" },
        "extra": {},
    })
}

/// What the server calls itself. Not the computer's own name: it would stand in copied output, and
/// the listener is on loopback only.
#[must_use]
pub fn hostname() -> &'static str {
    "localhost"
}

fn os_type() -> &'static str {
    match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        "windows" => "Windows",
        other => other,
    }
}

/// Megabytes of memory; 0 where the system has no such file.
fn memory_mb() -> i64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    proc_kilobytes(&text, "MemTotal:").unwrap_or(0) / 1_024
}

/// The number on the line with this label, in a file of Linux that counts in kB.
#[must_use]
pub fn proc_kilobytes(text: &str, label: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}
