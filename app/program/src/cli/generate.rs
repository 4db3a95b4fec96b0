//! `mayfly generate`: the files that a package installs with the program and that only the command
//! line itself can write.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use super::{
    Failure,
    args::{Args, Generate},
};

/// Where each shell looks for completions, below a folder such as `/usr/share`.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/mayfly"),
    (Shell::Fish, "fish/vendor_completions.d/mayfly.fish"),
    (Shell::Zsh, "zsh/site-functions/_mayfly"),
];

/// Writes a man page for each command, and the completions of each shell.
pub(super) fn run(args: &Generate) -> Result<(), Failure> {
    let wrong = |(path, error): (PathBuf, io::Error)| {
        Failure(format!("Can't write {}: {error}.", path.display()))
    };
    for (path, text) in pages().map_err(Failure::from_error)? {
        write(&args.folder, &path, &text).map_err(wrong)?;
    }
    for (shell, path) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut Args::command(), "mayfly", &mut text);
        write(&args.folder, path, &text).map_err(wrong)?;
    }
    Ok(())
}

fn write(folder: &Path, path: &str, text: &[u8]) -> Result<(), (PathBuf, io::Error)> {
    let path = folder.join(path);
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| (path.clone(), error))
}

/// The path and the text of each man page.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    // Its version is the program's, which the title of the page needs.
    let versioned = command.clone().version(env!("CARGO_PKG_VERSION"));
    let page = Man::new(versioned)
        .source(concat!("Mayfly ", env!("CARGO_PKG_VERSION")))
        .manual("Mayfly Manual");
    let mut text = Vec::new();
    page.render(&mut text)?;
    if command.get_name() == "mayfly" {
        about_the_program().to_writer(&mut text)?;
    }
    pages.push((format!("man/man1/{}", page.get_filename()), text));
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        add_pages(inner, pages)?;
    }
    Ok(())
}

/// The sections that only the page of the whole program has.
fn about_the_program() -> Roff {
    let mut page = Roff::default();
    page.control("SH", ["EXIT STATUS"]);
    page.text([roman("0 on success. Otherwise one sentence on standard error says what failed.")]);
    page.control("SH", ["FILES"]);
    for (path, text) in [
        ("~/.local/share/mayfly", "Your store, the demo store, settings and progress in lessons."),
        ("DIR/data.mdb", "The documents of a store, an LMDB file."),
    ] {
        page.control("TP", []);
        page.text([bold(path)]);
        page.text([roman(text)]);
    }
    page.control("SH", ["EXAMPLES"]);
    for (line, text) in [
        ("mayfly --sandbox --demo", "Opens sample data on a clock that you can hold and advance."),
        ("mayfly sessions.ndjson", "Opens a file in the window, after a preview."),
        ("mayfly watch --demo", "Shows the Expiry view in the terminal."),
        (
            "mayfly import --data DIR --db shop --collection carts carts.ndjson",
            "Imports a file into a collection.",
        ),
        ("mayfly serve --data DIR", "Lets any MongoDB driver or shell connect."),
    ] {
        page.control("TP", []);
        page.text([bold(line)]);
        page.text([roman(text)]);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        run(&Generate { folder: folder.path().join("share") }).expect("they are written");
        folder
    }

    #[test]
    fn each_command_has_a_man_page_that_names_its_options() {
        let folder = generated();
        let pages = folder.path().join("share/man/man1");
        let names: Vec<String> = Args::command()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| format!("mayfly-{}.1", command.get_name()))
            .collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            let text = fs::read_to_string(pages.join(&name)).expect(&name);
            assert!(text.contains(".SH SYNOPSIS") && text.contains("Mayfly 0."), "{name}: {text}");
        }
        let import = fs::read_to_string(pages.join("mayfly-import.1")).expect("a page");
        assert!(import.contains("\\-\\-collection"), "{import}");
        assert!(!pages.join("mayfly-walk.1").exists(), "a hidden command has no page");
        let main = fs::read_to_string(pages.join("mayfly.1")).expect("a page");
        assert!(main.contains(".SH FILES") && main.contains("mayfly\\-watch(1)"), "{main}");
    }

    #[test]
    fn each_shell_completes_commands_and_options() {
        let folder = generated();
        for (shell, path) in COMPLETIONS {
            let text = fs::read_to_string(folder.path().join("share").join(path)).expect(path);
            for word in ["watch", "import", "collection", "uri-env"] {
                assert!(text.contains(word), "{shell} lacks {word}");
            }
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let failure = run(&Generate { folder: file.path().join("share") }).expect_err("no folder");
        assert!(failure.0.starts_with("Can't write "), "{failure}");
        assert!(failure.0.contains("man1/mayfly.1"), "{failure}");
    }
}
