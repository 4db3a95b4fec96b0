//! How files are compressed.

use crate::value::named;

named! {
    /// How a file is compressed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Compression {
        /// Not at all.
        #[default]
        None => "",
        /// gzip.
        Gzip => "gzip",
        /// zstd.
        Zstd => "zstd",
    }
    /// Its name; empty for none.
    pub fn name;
}

impl Compression {
    /// Detects the compression by the magic number of a gzip member or of a zstd frame.
    pub fn of(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// The ending of its files, with the dot; empty for none.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }

    /// A file name without the ending of a compressed file.
    pub fn bare_name(name: &str) -> &str {
        let endings = Self::ALL.map(Self::ending);
        let mut bare = endings.iter().filter(|ending| !ending.is_empty());
        bare.find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
    }
}
