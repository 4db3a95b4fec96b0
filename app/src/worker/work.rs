//! Kinds of work that are not yet questions of their features.

use std::fmt;

use bson::Document;

use crate::job::OpenRequest;
use crate::source::Opened;

/// The work of a job.
pub enum Work {
    /// Run one command.
    Command { db: String, command: Document },
    /// Turn the traffic of the demo store on or off.
    SetTraffic(bool),
    /// Send what is due in the traffic of the demo store.
    Traffic,
    /// Open another store in place of the present one.
    Open(OpenRequest),
    /// Bring an open store to the front, or make room for one that is opened next.
    Show(u32),
    /// Close the open store of this number.
    Close(u32),
    /// Put an attached server in place of the present store.
    Adopt(Box<Opened>),
    /// Lock the connection to a server, or unlock it.
    SetLocked(bool),
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { db, command } => write!(f, "Command({db}, {command})"),
            Self::SetTraffic(on) => write!(f, "SetTraffic({on})"),
            Self::Traffic => write!(f, "Traffic"),
            Self::Open(request) => write!(f, "Open({request:?})"),
            Self::Show(number) => write!(f, "Show({number})"),
            Self::Close(number) => write!(f, "Close({number})"),
            Self::Adopt(opened) => write!(f, "Adopt({})", opened.name),
            Self::SetLocked(is_locked) => write!(f, "SetLocked({is_locked})"),
        }
    }
}
