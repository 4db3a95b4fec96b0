//! `killAllSessionsByPattern`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::session_list::check_list;
use crate::command::core::{Answer, Command, Context, Request};

/// `{killAllSessionsByPattern: [session]}`
pub static COMMAND: Command = Command::any("killAllSessionsByPattern", &[], run);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    check_list(request)?;
    Ok(RawDocumentBuf::new())
}
