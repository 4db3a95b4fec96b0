//! What kind of deployment a server is, as its `hello` tells it.

use bson::Document;

/// The name of the kind.
#[must_use]
pub fn name(hello: &Document) -> String {
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
        let check = |hello, expected: &str| assert_eq!(name(&hello), expected);
        check(doc! { "isWritablePrimary": true }, "standalone");
        check(doc! { "msg": "isdbgrid" }, "sharded cluster");
        check(doc! { "setName": "rs", "primary": "a:1" }, "replica set rs, primary a:1");
        check(doc! { "setName": "rs", "isWritablePrimary": true }, "replica set rs, primary");
        check(doc! { "setName": "rs" }, "replica set rs, no primary known");
    }
}
