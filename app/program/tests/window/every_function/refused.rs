//! Entries that a server can't carry out, and their reasons.

use super::{Row, Script::Refused};

const REAPER: &str =
    "The server runs its own TTL monitor; Mayfly can't run or schedule passes on it";

const MAINTENANCE: &str =
    "Back up and maintain a server with its own tools; Mayfly does that for its own stores";

const SIMULATED: &str = "Only a store on a simulated clock can do this";

const NO_LESSON: &str = "No lesson is open";

const KEPT: &str = "A server keeps no copy of what its TTL monitor removes";

pub const ROWS: &[Row] = &[
    ("Run pass", Refused(REAPER)),
    ("Pause the TTL monitor", Refused(REAPER)),
    ("Resume the TTL monitor", Refused(REAPER)),
    ("Keep removed documents in the trash for 10 minutes", Refused(REAPER)),
    ("Turn off the trash", Refused(REAPER)),
    ("TTL monitor: every 60 s", Refused(REAPER)),
    ("TTL monitor: every 10 s", Refused(REAPER)),
    ("TTL monitor: every 1 s", Refused(REAPER)),
    ("TTL monitor: on expiration", Refused(REAPER)),
    ("Backup and maintenance…", Refused(MAINTENANCE)),
    ("Back up…", Refused(MAINTENANCE)),
    ("Restore…", Refused(MAINTENANCE)),
    ("Compact…", Refused(MAINTENANCE)),
    ("Verify…", Refused(MAINTENANCE)),
    ("Scrub now", Refused(MAINTENANCE)),
    ("Recently removed…", Refused(KEPT)),
    ("Connect other programs…", Refused("Other programs connect to the server itself")),
    (
        "Copy to a server…",
        Refused(
            "Copying from one server to another is not supported; copy to a store, then to the server",
        ),
    ),
    (
        "Copy this collection into a sandbox",
        Refused("Copy a collection of a server with Copy to a store…"),
    ),
    ("Damaged documents…", Refused("A server finds its damaged documents itself")),
    ("Turn traffic on", Refused("Traffic is on, or this is not the demo store")),
    ("Turn traffic off", Refused("Traffic is off, or this is not the demo store")),
    ("Back to my store", Refused("No sandbox is open")),
    ("Save as lesson…", Refused("Only a sandbox with a collection can be saved as a lesson")),
    ("Start or pause the clock", Refused(SIMULATED)),
    ("Advance the clock by one second", Refused(SIMULATED)),
    ("Advance the clock by one minute", Refused(SIMULATED)),
    ("Advance to the next event", Refused(SIMULATED)),
    ("Advance to the next pass", Refused(SIMULATED)),
    ("Run the clock at ×60", Refused(SIMULATED)),
    ("Run the clock at ×3600", Refused(SIMULATED)),
    ("Close the lesson", Refused(NO_LESSON)),
    ("Sandbox from here", Refused(NO_LESSON)),
    ("Export handout…", Refused(NO_LESSON)),
    ("Restart card", Refused(NO_LESSON)),
    ("Step back to the last event", Refused(NO_LESSON)),
    ("Next card", Refused("No lesson is open, or the card isn’t finished")),
    ("Previous card", Refused("No lesson is open, or this is its first card")),
    ("Unfinished operations…", Refused("No operation stopped early")),
    ("Stop the console", Refused("Nothing runs in the console")),
    (
        "Forget the password of this server",
        Refused("No password of an open server is in the keyring"),
    ),
];
