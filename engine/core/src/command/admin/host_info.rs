//! `hostInfo`: the computer under the server.

use bson::{DateTime, doc};

use crate::command::core::{
    Answer, Command, Context, Request, raw,
    server::{hostname, proc_kilobytes},
};

/// `{hostInfo: 1}`
pub static COMMAND: Command = Command::any("hostInfo", &[], run);

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
