//! Single inserts on a disk that takes its time over a flush. What a shared commit saves is waiting, so how
//! much it gives depends on the disk more than on anything else.

use std::{env, fs, process::Command};

use tempfile::tempdir;

use super::insert::singles_rate;

/// With this and a number of threads the program prints their rate and nothing else.
pub const SINGLES: &str = "--singles-of";
const FLUSH_MICROS: &str = "1000";

/// Documents a second from one and from 32 threads where each flush takes a millisecond more. `None`
/// without a C compiler, or where no library can be put in front of the system's.
pub fn singles_rates() -> Option<[f64; 2]> {
    let folder = tempdir().ok()?;
    let (source, library) = (folder.path().join("slow_disk.c"), folder.path().join("slow_disk.so"));
    fs::write(&source, include_str!("slow_disk.c")).ok()?;
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O2", "-o"]).args([&library, &source]).arg("-ldl");
    if !cfg!(target_os = "linux") || !compiler.status().ok()?.success() {
        return None;
    }
    let rate = |threads: &str| {
        let mut own = Command::new(env::current_exe().ok()?);
        own.args([SINGLES, threads]);
        own.env("LD_PRELOAD", &library).env("SLOW_FLUSH_MICROS", FLUSH_MICROS);
        String::from_utf8(own.output().ok()?.stdout).ok()?.trim().parse().ok()
    };
    Some([rate("1")?, rate("32")?])
}

/// Prints the rate of this number of threads.
pub fn print_rate(threads: i32) {
    println!("{}", singles_rate(threads));
}
