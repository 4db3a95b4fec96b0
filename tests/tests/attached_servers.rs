//! The window's server source over servers of others, and over one that plays scripts: answers that
//! come late or never, fail without a code, or say yes to everything.
//!
//! `tests/clients/install` installs them at fixed versions; how they start is in `tests/clients/servers`.

#[path = "attached_servers/audited.rs"]
mod audited;
#[path = "attached_servers/congodb.rs"]
mod congodb;
#[path = "attached_servers/mongoeco.rs"]
mod mongoeco;
#[path = "attached_servers/nx_27017.rs"]
mod nx_27017;
#[path = "attached_servers/peer.rs"]
mod peer;
#[path = "attached_servers/scripted_server.rs"]
mod scripted_server;
