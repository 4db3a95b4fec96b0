//! Sandboxes: how one is opened and left.

use crate::job::{OpenRequest, Sandbox, instant_ms};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenSandbox {
    pub demo: bool,
    /// The start of its clock, as typed. Empty for the present minute.
    pub at: String,
}

impl OpenSandbox {
    /// Which store it is.
    ///
    /// # Errors
    /// One sentence: the time can't be read.
    pub fn request(&self) -> Result<OpenRequest, String> {
        let at = self.at.trim();
        let start_ms = if at.is_empty() { None } else { Some(instant_ms(at)?) };
        let sandbox = if self.demo { Sandbox::Demo } else { Sandbox::Empty };
        Ok(OpenRequest {
            sandbox: Some(sandbox),
            simulated_start_ms: start_ms,
            ..OpenRequest::default()
        })
    }

    /// The command line that opens the same sandbox.
    pub fn command_line(&self) -> String {
        let at = self.at.trim();
        let demo = if self.demo { " --demo" } else { "" };
        let at = if at.is_empty() { String::new() } else { format!(" --at {at}") };
        format!("mayfly --sandbox{demo}{at}")
    }
}

/// The action after a sandbox is left.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterSandbox {
    Open(Box<OpenRequest>),
    /// Shows the open store of this number.
    Show(u32),
    Close,
}

/// Asks whether to keep the sandbox that is left.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaveSandbox {
    pub then: AfterSandbox,
    /// Whether it is kept, so that a folder is asked for.
    pub keeps: bool,
    pub path: String,
    /// The generation of the job that moves it there.
    pub sent: Option<u64>,
    /// Why it was not kept.
    pub error: Option<String>,
}

impl LeaveSandbox {
    /// Asks before this.
    pub fn before(then: AfterSandbox) -> Self {
        Self { then, keeps: false, path: String::new(), sent: None, error: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_says_what_is_opened() {
        let check = |demo, at: &str, line: &str, start_ms| {
            let draft = OpenSandbox { demo, at: at.to_owned() };
            assert_eq!(draft.command_line(), line);
            let found = draft.request().map(|request| request.simulated_start_ms);
            assert_eq!(found.ok(), start_ms, "{at}");
        };
        check(false, " ", "mayfly --sandbox", Some(None));
        let line = "mayfly --sandbox --demo --at 1970-01-01T00:00:01Z";
        check(true, "1970-01-01T00:00:01Z", line, Some(Some(1_000)));
        check(false, "noon", "mayfly --sandbox --at noon", None);
        let sentence = OpenSandbox { demo: false, at: "noon".to_owned() }.request();
        assert_eq!(sentence, Err("noon: use a time such as 2026-01-01T00:00:00Z".to_owned()));
    }
}
