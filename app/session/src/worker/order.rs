//! Orders to the worker itself: which stores are open, and what runs without being asked for.

use std::fmt;
use std::sync::Arc;

use super::desk::Desk;
use super::outcome::Outcome;
use super::task::{Job, Key, Lane, Task};
use crate::job::OpenRequest;
use crate::source::Opened;

/// An order to the worker itself. Orders are carried out between the writes, in the order of asking.
pub enum Order {
    /// Open another store in place of the present one.
    Open(OpenRequest),
    /// Put an attached server in place of the present store.
    Adopt(Box<Opened>),
    /// Bring an open store to the front, or make room for one that is opened next.
    Show(u32),
    /// Close the open store of this number.
    Close(u32),
    /// Lock the connection to a server, or unlock it.
    SetLocked(bool),
    /// Turn the traffic of the demo store on or off.
    SetTraffic(bool),
    /// Send what is due in the traffic of the demo store.
    Traffic,
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(request) => write!(f, "Open({request:?})"),
            Self::Adopt(opened) => write!(f, "Adopt({})", opened.name),
            Self::Show(number) => write!(f, "Show({number})"),
            Self::Close(number) => write!(f, "Close({number})"),
            Self::SetLocked(is_locked) => write!(f, "SetLocked({is_locked})"),
            Self::SetTraffic(on) => write!(f, "SetTraffic({on})"),
            Self::Traffic => write!(f, "Traffic"),
        }
    }
}

impl<A> Task<A> for Order {
    fn run(self: Box<Self>, desk: &Desk<'_, A>) {
        if let Some(threads) = desk.threads {
            threads.carry_out(*self);
        }
    }

    /// A write is never replaced, so its queue was full.
    fn dropped(self: Box<Self>, _: u64, _: bool) -> Outcome<A> {
        Outcome::OrderRefused
    }

    fn order(&self) -> Option<&Order> {
        Some(self)
    }
}

/// The identity of every order.
#[derive(Debug, PartialEq)]
struct OrderKey;

impl<A> Job<A> {
    /// An order to the worker itself.
    pub fn of_order(order: Order, generation: u64) -> Self {
        Self::new(Key::new(Arc::new(OrderKey)), Lane::Write, generation, Box::new(order))
    }
}
