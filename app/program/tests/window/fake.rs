//! A store made of nothing: fixed replies, a paused simulated clock.

use std::sync::Arc;

use bson::{DateTime, Document, doc};
use mayfly::source::{Capabilities, Events, Opened, Opener, Source};
use mayfly_engine::clock::{ClockMode, ClockStatus};

/// The store's time.
pub const NOW_MS: i64 = 1_795_256_042_000;

struct Fake;

impl Source for Fake {
    fn run(&self, db: &str, command: &Document) -> Document {
        let name = command.keys().next().map_or("", String::as_str);
        let mut reply = match name {
            "listDatabases" => doc! {"databases": [
                {"name": "demo", "sizeOnDisk": 1_000_i64},
                {"name": "shop", "sizeOnDisk": 2_000_i64},
            ]},
            "listCollections" if db == "demo" => batch(&["sessions", "events"]),
            "listCollections" => batch(&["carts"]),
            "collStats" => doc! {"count": 12_408, "size": 3_100_000},
            "mayflyDialect" => doc! {"dialect": "open"},
            "mayflyExpiring" => doc! {"batch": [
                {"_id": 1, "index": "at_1", "field": "at", "source": "index", "state": "waiting",
                 "base": DateTime::from_millis(NOW_MS - 60_000),
                 "threshold": DateTime::from_millis(NOW_MS + 41_000)},
            ]},
            "mayflyForecast" => doc! {
                "counts": [3_i64, 1_i64, 4_i64, 1_i64], "overdue": 2_i64, "beyond": 0_i64,
                "never": 1_i64, "exact": true,
            },
            "mayflyClock" => doc! {
                "now": DateTime::from_millis(NOW_MS), "mode": "simulated", "rate": 60.0,
                "paused": true,
            },
            "mayflyReap" => doc! {"deletedDocuments": 2_i64, "passes": 1_i64},
            "serverStatus" => doc! {"mayfly": {"reaper": {
                "enabled": true, "sleepSecs": 60_i64, "atThreshold": false,
                "nextPass": DateTime::from_millis(NOW_MS + 8_000),
            }}},
            "mayflyHeld" => doc! {"held": false, "holds": []},
            _ => {
                let errmsg = format!("no such command: '{name}'");
                return doc! {"ok": 0.0, "errmsg": errmsg, "codeName": "CommandNotFound"};
            }
        };
        reply.insert("ok", 1.0);
        reply
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        let default = Capabilities::default();
        Capabilities { simulated_clock: true, reaper: true, archives: true, ..default }
    }
}

fn batch(names: &[&str]) -> Document {
    let found: Vec<Document> =
        names.iter().map(|name| doc! {"name": *name, "type": "collection"}).collect();
    doc! {"cursor": {"id": 0_i64, "firstBatch": found}}
}

/// Opens the store made of nothing.
pub fn opener() -> Opener {
    Arc::new(|_| {
        let (source, name) = (Arc::new(Fake), "fake store".to_owned());
        let (warnings, advice) = (Vec::new(), Vec::new());
        let clock =
            ClockStatus { now_ms: NOW_MS, mode: ClockMode::Simulated, rate: 60.0, paused: true };
        Ok(Opened { source, name, folder: None, clock, warnings, advice, attached: None })
    })
}
