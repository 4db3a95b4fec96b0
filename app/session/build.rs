//! Embeds every lesson of `assets/lessons`, every question of its exam, and every chapter and picture of `assets/guide`, so that no list of
//! them can be stale.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    for (name, folder) in
        [("lessons.rs", "../../assets/lessons"), ("exam.rs", "../../assets/lessons/exam")]
    {
        let found = files(Path::new(folder), "md")?;
        let found = found.iter().map(|(name, file)| (name.trim_end_matches(".md"), file.as_str()));
        let found = found.filter(|(name, _)| *name != "README");
        fs::write(out.join(name), list("include_str", found))?;
    }
    for (name, extension, macro_name) in
        [("guide.rs", "md", "include_str"), ("guide_pictures.rs", "png", "include_bytes")]
    {
        let found = files(Path::new("../../assets/guide"), extension)?;
        let found = found.iter().map(|(name, file)| (name.as_str(), file.as_str()));
        fs::write(out.join(name), list(macro_name, found))?;
    }
    Ok(())
}

/// The files of a folder with an extension: their names, in order, and their whole paths.
fn files(folder: &Path, extension: &str) -> io::Result<Vec<(String, String)>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|other| other == extension) {
            let file = fs::canonicalize(&path)?.to_string_lossy().into_owned();
            found.push((name.to_owned(), file));
        }
    }
    found.sort();
    Ok(found)
}

/// A slice of names and contents, as Rust.
fn list<'a>(macro_name: &str, files: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut list = String::from("&[\n");
    for (name, file) in files {
        // Writing to a String can't fail.
        let _ = writeln!(list, "    ({name:?}, {macro_name}!({file:?})),");
    }
    list.push_str("]\n");
    list
}
