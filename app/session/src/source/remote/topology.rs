//! The kind of a server's deployment, by its `hello`.

use bson::Document;

use crate::job::PassJob;

/// The hosts of Azure Cosmos DB for MongoDB (RU). Only for words: what it can do is asked.
const COSMOS: [&str; 2] = [".mongo.cosmos.azure.com", ".documents.azure.com"];

/// The job that removes expired documents, where the product is known to have one: an `internal` field in `hello` is
/// DocumentDB's own.
pub fn pass_job(hello: &Document) -> Option<PassJob> {
    hello.contains_key("internal").then_some(PassJob::DOCUMENTDB)
}

/// The name of the kind, with the product where a service says which it is.
pub fn name(
    hello: &Document,
    build_info: &Document,
    addresses: &[(String, Option<u16>)],
) -> String {
    let kind = kind(hello);
    if pass_job(hello).is_some() {
        let is_odd = hello.contains_key("msg");
        return if is_odd {
            "DocumentDB (answers as a sharded cluster does)"
        } else {
            "DocumentDB"
        }
        .to_owned();
    }
    match service(build_info, addresses) {
        Some(service) => format!("{service}, {kind}"),
        None => kind,
    }
}

fn service(build_info: &Document, addresses: &[(String, Option<u16>)]) -> Option<&'static str> {
    let is_cosmos = |(host, _): &(String, Option<u16>)| {
        COSMOS.iter().any(|suffix| host.to_ascii_lowercase().ends_with(suffix))
    };
    match () {
        () if build_info.contains_key("ferretdb") => Some("FerretDB"),
        () if addresses.iter().any(is_cosmos) => Some("Azure Cosmos DB"),
        () => None,
    }
}

fn kind(hello: &Document) -> String {
    if hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid") {
        return "sharded cluster".to_owned();
    }
    let Ok(set) = hello.get_str("setName") else { return "standalone".to_owned() };
    let primary = hello.get_str("primary").ok();
    let is_primary = hello.get_bool("isWritablePrimary").unwrap_or(false);
    match primary {
        Some(primary) => format!("replica set {set}, primary {primary}"),
        None if is_primary => format!("replica set {set}, primary"),
        None => format!("replica set {set}, no primary known"),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn a_deployment_is_told_by_its_hello() {
        let check = |hello, expected: &str| {
            assert_eq!(name(&hello, &doc! {}, &[]), expected);
        };
        check(doc! { "isWritablePrimary": true }, "standalone");
        check(doc! { "msg": "isdbgrid" }, "sharded cluster");
        check(doc! { "setName": "rs", "primary": "a:1" }, "replica set rs, primary a:1");
        check(doc! { "setName": "rs", "isWritablePrimary": true }, "replica set rs, primary");
        check(doc! { "setName": "rs" }, "replica set rs, no primary known");
        check(doc! { "internal": {} }, "DocumentDB");
        let named = "DocumentDB (answers as a sharded cluster does)";
        check(doc! { "msg": "isdbgrid", "internal": {} }, named);
        let ferret = doc! { "ferretdb": { "version": "2.0" } };
        assert_eq!(name(&doc! {}, &ferret, &[]), "FerretDB, standalone");
        let host = ("me.mongo.cosmos.azure.com".to_owned(), Some(10255));
        let cosmos = name(&doc! { "setName": "g" }, &doc! {}, &[host]);
        assert!(cosmos.starts_with("Azure Cosmos DB, replica set g"));
    }
}
