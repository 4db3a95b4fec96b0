//! File systems that only root can mount. A full ext4 disk, which cuts a write short where one in
//! memory refuses it, loses nothing. A FUSE drive, on which LMDB's locks and map are unsafe, is
//! refused.
//!
//! Everything is in memory and in new namespaces for mounts and processes, so it disappears with
//! them, however the test ends.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;

use mayfly_tests::program;

const LEAVE_OUT: &str = "This test mounts disks: run it as root or with a sudo that asks for no password, or leave it \
                         out with tests/run --without-root-mounts.";

/// The start of every script. `ext4 NAME SIZE OPTION...` mounts a new disk; `refused COMMAND...`
/// expects that a drive is refused.
const BEGIN: &str = r#"
    set -e
    cd "$1"
    mayfly=$2 fill_disk=$3
    ext4() {
        name=$1 size=$2
        shift 2
        truncate -s "$size" "$name.img"
        PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q "$@" "$name.img"
        mkdir "$name"
        mount -o loop "$name.img" "$name"
    }
    refused() {
        if said=$("$@" 2>&1); then echo "$* is not refused: $said"; exit 1; fi
        case $said in
            *"FUSE drive (FUSE)"*"Move it to a local disk"*) echo "$said" ;;
            *) echo "$* is refused otherwise: $said"; exit 1 ;;
        esac
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

#[test]
fn root_mounts_a_drive_of_user_space_that_no_store_opens_on() {
    check(
        r#"
        mkdir real drive
        "$fill_disk" real/store prepare
        bindfs real drive
        refused "$mayfly" verify --data drive/store
        refused "$mayfly" export --data drive/store --db disk --collection c --output out
        refused "$mayfly" restore --from real/store/data.mdb --data drive/other
        test ! -e drive/other -a ! -e out

        # A copy of what is there opens, and a backup may go there.
        "$mayfly" restore --from drive/store/data.mdb --data copy
        "$mayfly" export --data copy --db disk --collection c --output out
        test "$(wc -l < out)" = 20
        "$mayfly" backup --data copy drive/backup
        "$mayfly" check drive/backup
        "#,
    );
}

#[test]
fn root_mounts_a_folder_that_no_file_of_rejects_can_be_written_to() {
    check(
        r#"
        mkdir in
        printf '{"_id":1}\nx\n{"_id":2}\n' > in/a.jsonl
        mount -o bind in in
        mount -o remount,bind,ro in
        mkdir tmp
        export TMPDIR="$PWD/tmp"
        if "$mayfly" import --data store --db d --collection c in/a.jsonl > said 2>&1; then exit 1; fi
        cat said
        grep -q "imported 2, skipped 0, rejected 1" said
        grep -q "saved in $TMPDIR/a.jsonl.rejected.jsonl, because the folder of the file can't be written" said
        test "$(wc -l < tmp/a.jsonl.rejected.jsonl)" = 1
        "#,
    );
}

/// Runs a script as root in new namespaces, in an empty folder in memory.
fn check(script: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let run = |script: &str| {
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
        let mut command = Command::new(if is_root { "env" } else { "sudo" });
        command.args(if is_root { [].as_slice() } else { &["-n"] });
        command.args(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]);
        command.arg(format!("mount -t tmpfs tmpfs \"$1\" || exit 1\n{script}")).arg("sh");
        command.arg(folder.path()).arg(program::path()).arg(env!("CARGO_BIN_EXE_fill_disk"));
        command.output()
    };
    assert!(run("").is_ok_and(|output| output.status.success()), "{LEAVE_OUT}");
    let output = run(&format!("{BEGIN}{script}")).expect("it has run before");
    let printed = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(output.status.success(), "{printed}\n{LEAVE_OUT}");
    println!("{printed}");
}
