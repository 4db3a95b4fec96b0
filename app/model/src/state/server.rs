//! Facts about the attached server, in the words of the window.

use bson::{Bson, Document};
use mayfly_engine::value::whole;

use super::watch::Delivery;

/// The dialog that describes a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerFacts {
    /// The reply to `hello`; `None` until it is there.
    pub hello: Option<Document>,
    /// The reply to `replSetGetStatus`, or why there is none.
    pub status: Option<Result<Document, String>>,
}

/// A member of a replica set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub host: String,
    /// Its state, as the set calls it.
    pub state: String,
    pub is_primary: bool,
}

impl ServerFacts {
    /// The members of the set: with their states if the login may read them, else as `hello` lists them.
    pub fn members(&self) -> Vec<Member> {
        let status = self.status.as_ref().and_then(|status| status.as_ref().ok());
        let listed = status.and_then(|status| status.get_array("members").ok());
        if let Some(listed) = listed {
            return listed.iter().filter_map(Bson::as_document).filter_map(member).collect();
        }
        let Some(hello) = &self.hello else { return Vec::new() };
        let primary = hello.get_str("primary").ok();
        let kinds = [("hosts", "member"), ("passives", "passive"), ("arbiters", "arbiter")];
        let of = |(field, state): (&str, &'static str)| {
            let hosts = hello.get_array(field).into_iter().flatten().filter_map(Bson::as_str);
            hosts.map(|host| (host.to_owned(), state)).collect::<Vec<_>>()
        };
        let member = |(host, state): (String, &str)| {
            let is_primary = primary == Some(host.as_str());
            let state = if is_primary { "PRIMARY" } else { state };
            Member { host, state: state.to_owned(), is_primary }
        };
        kinds.into_iter().flat_map(of).map(member).collect()
    }

    /// Whether it is a set whose members have states.
    pub fn is_set(&self) -> bool {
        self.hello.as_ref().is_some_and(|hello| hello.contains_key("setName"))
    }

    /// The member or the job that removes documents, in one sentence.
    pub fn who_removes(&self) -> Option<&'static str> {
        let hello = self.hello.as_ref()?;
        if hello.contains_key("internal") {
            return Some("A job of the server removes documents, once a minute");
        }
        if hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid") {
            return Some("On each shard, only the primary removes documents");
        }
        hello.contains_key("setName").then_some("Only the primary removes documents")
    }
}

fn member(found: &Document) -> Option<Member> {
    let state = found.get_str("stateStr").unwrap_or("unknown").to_owned();
    // 1 is PRIMARY.
    let is_primary = found.get("state").and_then(whole) == Some(1);
    let is_down = found.get("health").and_then(whole) == Some(0);
    let is_said = state.contains("not reachable");
    let state = if is_down && !is_said { format!("{state}, not reachable") } else { state };
    Some(Member { host: found.get_str("name").ok()?.to_owned(), state, is_primary })
}

/// How deletions come from a server, in one sentence.
pub fn delivery(delivery: &Delivery) -> String {
    match delivery {
        Delivery::Unasked => "Removals are polled while an Expiry view is shown".to_owned(),
        Delivery::Polled(why) => format!("Removals are polled: {why}"),
        Delivery::Streamed { has_pre_images: true } => {
            "Removals are streamed, each with its document (pre-images are on)".to_owned()
        }
        Delivery::Streamed { has_pre_images: false } => {
            "Removals are streamed; only those of listed documents have a threshold".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn members_come_with_their_states_or_as_hello_lists_them() {
        let hello = doc! {
            "setName": "rs", "hosts": ["a:1", "b:1"], "arbiters": ["c:1"], "primary": "b:1",
        };
        let mut facts = ServerFacts { hello: Some(hello), status: None };
        let told = |facts: &ServerFacts| {
            let told = facts.members().into_iter();
            told.map(|of| format!("{} {} {}", of.host, of.state, of.is_primary)).collect::<Vec<_>>()
        };
        facts.status = Some(Err("not authorized".to_owned()));
        assert_eq!(told(&facts), ["a:1 member false", "b:1 PRIMARY true", "c:1 arbiter false"]);
        let members = vec![
            doc! { "name": "a:1", "state": 2, "stateStr": "SECONDARY", "health": 1.0 },
            doc! { "name": "b:1", "state": 1, "stateStr": "PRIMARY", "health": 1.0 },
            doc! { "name": "c:1", "state": 8, "stateStr": "(not reachable)", "health": 0.0 },
            doc! { "name": "d:1", "state": 2, "stateStr": "SECONDARY", "health": 0 },
        ];
        facts.status = Some(Ok(doc! { "members": members }));
        assert_eq!(
            told(&facts),
            [
                "a:1 SECONDARY false",
                "b:1 PRIMARY true",
                "c:1 (not reachable) false",
                "d:1 SECONDARY, not reachable false",
            ]
        );
        assert_eq!(facts.who_removes(), Some("Only the primary removes documents"));
        assert!(facts.is_set());
        let extended = doc! { "msg": "isdbgrid", "internal": {} };
        let extended = ServerFacts { hello: Some(extended), status: None };
        let job = Some("A job of the server removes documents, once a minute");
        assert_eq!((extended.who_removes(), extended.is_set()), (job, false));
        let alone = ServerFacts { hello: Some(doc! { "isWritablePrimary": true }), status: None };
        assert_eq!((alone.members(), alone.who_removes()), (Vec::new(), None));
    }
}
