//! A full disk with ext4, which ends a write half way where one in memory refuses it, is named, and nothing is lost.
//!
//! Everything lies in memory and in name spaces of its own, for mounts and processes: it goes with them, however the
//! test ends.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;

const LEAVE_OUT: &str = "This test mounts disks: run it as root or with a sudo that asks for no password, or leave it \
                         out with tests/run --without-root-mounts.";

/// What every script begins with. `ext4 NAME SIZE OPTION...` mounts a new disk.
const BEGIN: &str = r#"
    set -e
    cd "$1"
    fill_disk=$2
    ext4() {
        name=$1 size=$2
        shift 2
        truncate -s "$size" "$name.img"
        PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q "$@" "$name.img"
        mkdir "$name"
        mount -o loop "$name.img" "$name"
    }
"#;

#[test]
fn root_mounts_a_full_ext4_that_loses_nothing() {
    check(r#"ext4 disk 16m; mkdir disk/data; "$fill_disk" disk/data/store"#);
}

#[test]
fn root_mounts_a_full_ext4_that_gives_the_trash_up_first() {
    check(r#"ext4 disk 16m; mkdir disk/data; "$fill_disk" disk/data/store trash"#);
}

#[test]
fn root_mounts_a_full_ext4_under_an_archive_that_loses_nothing() {
    check(r#"ext4 disk 512k -O ^has_journal; "$fill_disk" store archive "$PWD/disk""#);
}

/// Runs a script as root in name spaces of its own, in an empty folder in memory.
fn check(script: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let run = |script: &str| {
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
        let mut command = Command::new(if is_root { "env" } else { "sudo" });
        command.args(if is_root { [].as_slice() } else { &["-n"] });
        command.args(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]);
        command.arg(format!("mount -t tmpfs tmpfs \"$1\" || exit 1\n{script}")).arg("sh");
        command.arg(folder.path()).arg(env!("CARGO_BIN_EXE_fill_disk"));
        command.output()
    };
    assert!(run("").is_ok_and(|output| output.status.success()), "{LEAVE_OUT}");
    let output = run(&format!("{BEGIN}{script}")).expect("it has run before");
    let printed = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(output.status.success(), "{printed}\n{LEAVE_OUT}");
    println!("{printed}");
}
