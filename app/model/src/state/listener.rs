//! The listener: whether other programs may come in, and which have.

use std::time::Duration;

use mayfly_engine::command::ListenAt;

/// A program that is connected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConnectedClient {
    pub id: i64,
    /// The name that the client gives itself, or an empty string.
    pub application: String,
    /// Its driver with the version; empty when it does not say.
    pub driver: String,
    pub address: String,
    /// When it came, in milliseconds of the store's time.
    pub since_ms: i64,
    pub commands: u64,
}

impl ConnectedClient {
    /// The best name for it that it gave.
    pub fn name(&self) -> &str {
        [&self.application, &self.driver]
            .into_iter()
            .find(|name| !name.is_empty())
            .map_or("Unknown client", String::as_str)
    }
}

/// The fields of the dialog before it listens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListenerDraft {
    /// Whether on a Unix socket instead of a port.
    pub on_socket: bool,
    pub port: String,
    /// The path of the socket as typed.
    pub socket: String,
    /// Where it was tried last: an error is about that place.
    pub tried: Option<ListenAt>,
}

impl ListenerDraft {
    /// Where to listen.
    ///
    /// # Errors
    /// When the typed text isn't such an address, as one sentence.
    pub fn place(&self) -> Result<ListenAt, String> {
        if !self.on_socket {
            return port(&self.port).map(ListenAt::Port);
        }
        match self.socket.trim() {
            "" => Err("Enter a socket path".to_owned()),
            path => Ok(ListenAt::Socket(path.into())),
        }
    }
}

/// One answer of the store about its listener.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    pub on: bool,
    pub at: ListenAt,
    /// How programs reach it, with the credentials.
    pub uri: String,
    pub clients: Vec<ConnectedClient>,
    /// Commands of all clients since it was switched on.
    pub commands: u64,
}

/// The listener as far as the window knows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listener {
    status: Status,
    /// Commands a second between the last two answers.
    per_second: f64,
    answered_at: Option<Duration>,
    /// When the store was asked last.
    pub asked_at: Option<Duration>,
    /// Whether a question or a switch has no answer yet.
    pub is_waiting: bool,
    /// Why it could not be switched.
    pub error: Option<String>,
}

impl Listener {
    /// The last answer.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Commands a second, of late.
    pub fn per_second(&self) -> f64 {
        self.per_second
    }

    /// Stores a reply that came at this time of the window.
    pub fn learn(&mut self, status: Status, uptime: Duration) {
        let before = self.answered_at.filter(|_| self.status.on && status.on);
        let passed = before.map(|at| uptime.saturating_sub(at).as_secs_f64());
        let more = status.commands.saturating_sub(self.status.commands);
        // The window's own question isn't a command of a client, so an idle listener shows 0.
        #[expect(clippy::cast_precision_loss, reason = "a rate for the eye")]
        let rate = |passed: f64| more as f64 / passed;
        self.per_second = passed.filter(|passed| *passed > 0.0).map_or(0.0, rate);
        self.answered_at = Some(uptime);
        self.is_waiting = false;
        if status.on {
            self.error = None;
        }
        self.status = status;
    }

    /// Stores why it could not be switched.
    pub fn fail(&mut self, error: String) {
        self.is_waiting = false;
        self.error = Some(error);
    }
}

/// The port as typed; empty lets the system choose.
///
/// # Errors
/// When it isn't a port, as one sentence.
fn port(text: &str) -> Result<u16, String> {
    match text.trim() {
        "" => Ok(0),
        text => text
            .parse()
            .map_err(|_| format!("{text} is not a valid port; enter a number up to 65535")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_a_second() {
        let mut listener = Listener::default();
        let mut check = |on, commands, at_ms, expected: f64| {
            let status = Status { on, commands, ..Status::default() };
            listener.learn(status, Duration::from_millis(at_ms));
            assert!((listener.per_second() - expected).abs() < 1e-9, "{}", listener.per_second());
        };
        check(false, 0, 0, 0.0);
        check(true, 10, 1_000, 0.0);
        check(true, 30, 2_000, 20.0);
        check(true, 30, 2_000, 0.0);
        check(true, 35, 4_500, 2.0);
        // Switched off and on again, it counts from 0.
        check(true, 3, 5_000, 0.0);
    }

    #[test]
    fn ports() {
        let check = |text: &str, expected: Option<u16>| assert_eq!(port(text).ok(), expected);
        check("", Some(0));
        check(" 27017 ", Some(27_017));
        check("65536", None);
        check("-1", None);
        check("x", None);
    }

    #[test]
    fn why_it_is_off_stays_until_it_is_on() {
        let mut listener = Listener::default();
        listener.fail("taken".into());
        listener.learn(Status::default(), Duration::from_secs(1));
        assert_eq!(listener.error.as_deref(), Some("taken"));
        listener.learn(Status { on: true, ..Status::default() }, Duration::from_secs(2));
        assert_eq!(listener.error, None);
    }

    #[test]
    fn places() {
        let draft =
            ListenerDraft { port: "7".into(), socket: " /a.sock ".into(), ..Default::default() };
        assert_eq!(draft.place(), Ok(ListenAt::Port(7)));
        let socket = ListenerDraft { on_socket: true, ..draft };
        assert_eq!(socket.place(), Ok(ListenAt::Socket("/a.sock".into())));
        assert!(ListenerDraft { socket: " ".into(), ..socket }.place().is_err());
    }

    #[test]
    fn the_best_name_of_a_client() {
        let mut client = ConnectedClient { address: "127.0.0.1:5".into(), ..Default::default() };
        assert_eq!(client.name(), "Unknown client");
        client.driver = "PyMongo 4.20".into();
        assert_eq!(client.name(), "PyMongo 4.20");
        client.application = "reports".into();
        assert_eq!(client.name(), "reports");
    }
}
