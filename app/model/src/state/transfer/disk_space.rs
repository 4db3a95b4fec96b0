//! Whether the disk has room for an import.

use mayfly_engine::transfer::DiskSpace;

use super::import::ImportDraft;
use crate::state::number;

impl ImportDraft {
    /// Why the import would run out of disk space. `None` if it fits, or if that is unknown.
    pub fn lack_of_space(&self) -> Option<String> {
        lack_of_space(self.look.here()?.disk_space.as_ref()?)
    }
}

/// Why an import would run out of disk space, without a period at the end. `None` if it fits.
pub fn lack_of_space(disk_space: &DiskSpace) -> Option<String> {
    let (needed, free) =
        (number::bytes(disk_space.needed_bytes), number::bytes(disk_space.free_bytes));
    (!disk_space.is_enough())
        .then(|| format!("The import needs about {needed}, but only {free} is free"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_do_not_fit_are_told() {
        let check = |needed_bytes, free_bytes, expected: Option<&str>| {
            assert_eq!(lack_of_space(&DiskSpace { needed_bytes, free_bytes }).as_deref(), expected);
        };
        check(5, 5, None);
        check(
            12_300_000_000,
            4_000_000,
            Some("The import needs about 12.3 GB, but only 4.0 MB is free"),
        );
    }
}
