//! A full disk is named, nothing acknowledged is lost, and the store goes on once there is room.
//!
//! The disk is a file system in memory of 8 MiB, mounted in a name space of its own: no rights are
//! needed, only Linux.

use std::process::Command;

#[test]
fn small_disk_loses_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let script =
        r#"mount -t tmpfs -o size=8m tmpfs "$1" && mkdir "$1/data" && exec "$2" "$1/data/store""#;
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
