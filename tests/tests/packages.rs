//! The archive for Linux: its install script, and what the program adds to it.

use std::{fs, path::Path, process::Command};

use mayfly_tests::program;

/// The top of the project.
const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Unpacks what `dist/build` puts into the archive, without icons and licenses.
fn unpack(folder: &Path) {
    let linux = Path::new(TOP).join("dist/linux");
    for inner in ["bin", "share/applications"] {
        fs::create_dir_all(folder.join(inner)).expect("a folder");
    }
    fs::copy(program::path(), folder.join("bin/mayfly")).expect("the program");
    let entry = "share/applications/mayfly.desktop";
    fs::copy(linux.join("mayfly.desktop"), folder.join(entry)).expect("the desktop entry");
    fs::copy(linux.join("install"), folder.join("install")).expect("the script");
    let generated = Command::new(program::path())
        .args(["generate", "share"])
        .current_dir(folder)
        .output()
        .expect("the program runs");
    assert!(generated.status.success(), "{generated:?}");
}

/// Runs the script, and returns the exit code and what it printed.
fn install(archive: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(archive.join("install"))
        .args(arguments)
        .current_dir(archive.parent().expect("a folder above"))
        .output()
        .expect("bash is there");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn the_archive_installs_into_a_folder_and_is_removed_from_it() {
    let top = tempfile::tempdir().expect("a temporary folder");
    let archive = top.path().join("an archive");
    unpack(&archive);
    let prefix = top.path().join("a prefix");
    let other = prefix.join("share/applications/other.desktop");
    fs::create_dir_all(other.parent().expect("a folder")).expect("a folder");
    fs::write(&other, "").expect("a file of another program");

    // Relative to where the script is called.
    let (code, text) = install(&archive, &["--prefix", "a prefix"]);
    assert_eq!(code, Some(0), "{text}");
    let installed = prefix.join("bin/mayfly");
    assert!(text.contains(&installed.display().to_string()), "{text}");
    let version = Command::new(&installed).arg("--version").output().expect("it runs");
    assert_eq!(
        String::from_utf8_lossy(&version.stdout).trim(),
        concat!("mayfly ", env!("CARGO_PKG_VERSION"))
    );
    for path in ["share/man/man1/mayfly-import.1", "share/zsh/site-functions/_mayfly"] {
        assert!(prefix.join(path).exists(), "{path}");
    }
    let entry = prefix.join("share/applications/mayfly.desktop");
    let entry = fs::read_to_string(&entry).expect("the desktop entry");
    let starts: Vec<&str> = entry.lines().filter(|line| line.starts_with("Exec=")).collect();
    assert_eq!(starts.len(), 3, "{entry}");
    for start in starts {
        let expected = format!("Exec=\"{}\" ", installed.display());
        assert!(start.starts_with(&expected), "{start}");
    }

    let (code, text) = install(&archive, &["--remove", "--prefix=a prefix"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(!installed.exists() && !prefix.join("share/man").exists(), "{text}");
    assert!(other.exists(), "a file of another program was removed");
}

#[test]
fn an_unknown_option_of_the_install_script_changes_nothing() {
    let top = tempfile::tempdir().expect("a temporary folder");
    let archive = top.path().join("archive");
    unpack(&archive);
    let (code, text) = install(&archive, &["--prefxi", "there"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("unknown option --prefxi"), "{text}");
    let left = fs::read_dir(top.path()).expect("the folder").count();
    assert_eq!(left, 1);
}
