//! A full disk is reported, nothing acknowledged is lost, and the store continues once there is
//! space; a read-only disk is read.
//!
//! The disks are file systems in memory, mounted in a namespace of their own, which needs only
//! Linux and no rights.

use std::process::Command;

#[test]
fn small_disk_loses_nothing() {
    check(
        r#"mount -t tmpfs -o size=12m tmpfs "$1" && mkdir "$1/data" && exec "$2" "$1/data/store""#,
    );
}

#[test]
fn a_small_disk_mounted_for_reading_is_read() {
    check(
        r#"mount -t tmpfs -o size=64m tmpfs "$1" && "$2" "$1/store" prepare &&
           mount -o remount,ro "$1" && exec "$2" "$1/store" read"#,
    );
}

#[test]
fn a_small_disk_that_is_full_gives_the_trash_up_first() {
    check(
        r#"mount -t tmpfs -o size=12m tmpfs "$1" && mkdir "$1/data" && exec "$2" "$1/data/store" trash"#,
    );
}

#[test]
fn an_archive_on_a_small_disk_that_is_full_loses_nothing() {
    check(
        r#"mount -t tmpfs -o size=64m tmpfs "$1" && mkdir "$1/full" "$1/data" &&
           mount -t tmpfs -o size=256k tmpfs "$1/full" && exec "$2" "$1/data/store" archive "$1/full""#,
    );
}

#[test]
fn an_archive_on_another_disk_empties_a_small_disk_that_is_full() {
    check(
        r#"mount -t tmpfs -o size=12m tmpfs "$1" && mkdir "$1/data" "$1/other" &&
           mount -t tmpfs -o size=64m tmpfs "$1/other" &&
           exec "$2" "$1/data/store" waiting "$1/other""#,
    );
}

/// Runs a script with a folder and the victim in a new namespace.
fn check(script: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(env!("CARGO_BIN_EXE_fill_disk"))
        .output()
        .expect("unshare runs; leave this test out with tests/run --without-small-disk");
    let printed = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{printed}");
    println!("{printed}");
}
