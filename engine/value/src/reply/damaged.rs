//! The replies to `mayflyDamaged`.

use bson::Bson;

use super::declare::replies;

replies! {
    /// A page of the damaged documents of a collection.
    pub struct DamagedPage {
        /// The documents, by record number.
        "batch" => batch: Vec<DamagedRow>,
        /// Where the next page begins, for `after`; `None` at the end.
        "next" => next: Option<String>,
    }

    /// A damaged document.
    pub struct DamagedRow {
        /// Its record number, which may have more digits than a number of BSON.
        "record" => record: String,
        /// Its `_id`, if it is known without the document.
        "_id" => id: Option<Bson>,
        /// The damage, as a sentence.
        "error" => error: String,
    }

    /// The reply to a removal of damaged documents.
    pub struct DamagedRemoval {
        /// How many documents.
        "removed" => removed: u64,
        /// The files that keep their bytes.
        "files" => files: Vec<String>,
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::{super::declare::check_round_trip, *};

    #[test]
    fn damaged_documents_read_back() {
        let rows = [
            doc! {"record": "7", "_id": 1, "error": "a"},
            doc! {"record": "8", "_id": null, "error": "b"},
        ];
        check_round_trip!(DamagedPage, doc! {"batch": rows.to_vec(), "next": "9"});
        check_round_trip!(DamagedPage, doc! {"batch": [], "next": null});
        check_round_trip!(DamagedRemoval, doc! {"removed": 2_i64, "files": ["/x/a", "/x/b"]});
    }
}
