//! The reply to `mayflyTrash`.

use bson::{Bson, Document};

use super::{
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// A page of the removed documents that can be restored.
    pub struct TrashPage {
        /// The documents, newest first.
        "batch" => batch: Vec<TrashRow>,
        /// Where the next page begins, for `after`; `None` at the end. A number, or a document with
        /// what archives have.
        "next" => next: Option<Bson>,
        /// The trash as a whole; always given.
        "trash" => status: Option<TrashStatus>,
        /// How many there are, on all pages; only on request.
        "matching" as LeftOut => matching: Option<u64>,
    }

    /// A removed document. Instants are milliseconds since 1970.
    pub struct TrashRow {
        /// Its number in the trash; later removals have larger ones. 0 in an archive.
        "number" => number: u64,
        /// The collection that it goes back to.
        "ns" => ns: String,
        /// Its `_id`.
        "_id" => id: Bson,
        /// Its size in bytes.
        "size" => bytes: u64,
        /// The index that removed it.
        "index" => index: String,
        /// The pass that removed it. `None` if that was before the store was opened.
        "pass" => pass: Option<u64>,
        /// Its threshold.
        "expired" as Date => expired_ms: i64,
        /// When it was removed.
        "removed" as Date => removed_ms: i64,
        /// When it leaves the trash; `None` in an archive.
        "until" as Date => until_ms: Option<i64>,
        /// When it was last written.
        "modified" as Date => modified_ms: i64,
        /// The archive that it is moved to then, or was moved to.
        "archive" as LeftOut => archive: Option<String>,
        /// The target of the archive that has it; empty is the data folder.
        "target" as LeftOut => target: Option<String>,
        /// The document; only on request.
        "document" as LeftOut => document: Option<Document>,
    }

    /// The trash as a whole, as `serverStatus` shows it too.
    pub struct TrashStatus {
        /// Seconds that it keeps documents; 0: it is off.
        "secs" => secs: i64,
        /// Documents in it.
        "documents" => documents: u64,
        /// Their bytes.
        "bytes" => bytes: u64,
        /// Those of them that wait for an archive.
        "waiting" => waiting: u64,
        /// Those of them whose archive the store doesn't know.
        "unclaimed" => unclaimed: u64,
        /// The most bytes that it keeps of the others.
        "maxBytes" => max_bytes: u64,
        /// Documents that passes moved into it since the store was opened.
        "trashed" => trashed: u64,
        /// Documents that passes removed without it.
        "withoutTrash" => without_trash: u64,
        /// Documents that were restored from it.
        "restored" => restored: u64,
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::{super::declare::check_round_trip, *};

    #[test]
    fn a_page_of_the_trash_reads_back() {
        let at = DateTime::from_millis(1);
        let row = doc! {
            "number": 7_i64, "ns": "a.b", "_id": 1, "size": 20_i64, "index": "c", "pass": null,
            "expired": at, "removed": at, "until": at, "modified": at,
        };
        let status = doc! {
            "secs": 600_i64, "documents": 1_i64, "bytes": 20_i64, "waiting": 1_i64,
            "unclaimed": 1_i64, "maxBytes": 99_i64,
            "trashed": 3_i64, "withoutTrash": 0_i64, "restored": 2_i64,
        };
        let page = doc! {"batch": [row], "next": 6_i64, "trash": status};
        check_round_trip!(TrashPage, page.clone());
        let mut counted = page;
        counted.insert("matching", 2_i64);
        check_round_trip!(TrashPage, counted);
    }
}
