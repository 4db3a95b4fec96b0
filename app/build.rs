//! Embeds every lesson of `assets/lessons`, so that no list of them can be stale.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new("../assets/lessons");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut slugs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let slug = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|extension| extension == "md") && slug != "README" {
            let file = fs::canonicalize(&path)?.to_string_lossy().into_owned();
            slugs.push((slug.to_owned(), file));
        }
    }
    slugs.sort();
    let mut list = String::from("&[\n");
    for (slug, file) in slugs {
        // Writing to a String can't fail.
        let _ = writeln!(list, "    ({slug:?}, include_str!({file:?})),");
    }
    list.push_str("]\n");
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("lessons.rs"), list)
}
