//! Ten thousand collections need no handle, file or system lock each.

use bson::{Document, doc};

use crate::{
    catalog::Namespace,
    catalog::rules::CreateIndexesRequest,
    collection::{DocumentWriter, WriteError, ddl::indexes::register},
    command::testing::Lab,
};

const COLLECTIONS: usize = 10_000;
/// As many as one transaction creates.
const TOGETHER: usize = 500;

fn create(writer: &mut DocumentWriter<'_, '_>, number: usize) -> Result<(), WriteError> {
    let index = doc! { "key": { "at": 1 }, "name": "at", "expireAfterSeconds": 3600 };
    let namespace = Namespace { db: "test".to_owned(), collection: format!("c{number:05}") };
    let request =
        CreateIndexesRequest { namespace, indexes: vec![index], ignore_unknown_options: false };
    register(writer, &request).map(drop)
}

fn batch<'r>(reply: &'r Document, name: &str) -> &'r [bson::Bson] {
    let cursor = reply.get_document("cursor").expect("a cursor");
    cursor.get_array(name).expect("a batch")
}

#[test]
fn ten_thousand_collections_are_listed_reopened_and_reaped() {
    let lab = Lab::new();
    for first in (0..COLLECTIONS).step_by(TOGETHER) {
        let create_some = |writer: &mut DocumentWriter<'_, '_>| {
            (first..first + TOGETHER).try_for_each(|number| create(writer, number))
        };
        lab.engine.collections().write::<_, WriteError>(create_some).expect("created");
    }
    lab.ok("{insert: 'c09999', documents: [{_id: 1, at: new Date(1704067200000)}]}");
    let lab = lab.reopened();
    let listed = lab.ok("{listCollections: 1, nameOnly: true}");
    assert_eq!(batch(&listed, "firstBatch").len(), COLLECTIONS);
    let indexes = lab.ok("{listIndexes: 'c09998'}");
    assert_eq!(batch(&indexes, "firstBatch").len(), 2);
    let pass = lab.ok("{mayflyReap: 1}");
    assert_eq!(pass.get_i64("deletedDocuments").ok(), Some(0), "{pass}");
    lab.ok("{mayflyClock: 1, advanceMS: NumberLong(3600000)}");
    let pass = lab.ok("{mayflyReap: 1}");
    assert_eq!(pass.get_i64("deletedDocuments").ok(), Some(1), "{pass}");
    lab.ok("{insert: 'c00000', documents: [{_id: 1}]}");
    lab.check("{find: 'c00000'}", "{'cursor.firstBatch': [{_id: 1}]}");
    lab.check("{find: 'c09999'}", "{'cursor.firstBatch': []}");
}
