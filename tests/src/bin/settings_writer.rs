//! Changes one setting in a file, for tests in which the write fails or is cut off.
//!
//! `settings_writer FILE NUMBER`: prints `written` once the number is on the disk, or the error.

use std::path::PathBuf;

use mayfly::source::kept_file::KeptFile;

const USAGE: &str = "usage: settings_writer FILE NUMBER";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or(USAGE)?);
    let number: u64 = arguments.next().ok_or(USAGE)?.parse()?;
    let file = KeptFile::new(path, &[]);
    let base = file.read().fields;
    let mut changed = base.clone();
    changed.insert("number".to_owned(), number.into());
    match file.write(&base, &changed) {
        Ok(_) => println!("written"),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
