//! Text for the clipboard. Names and paths come from the data: one with a line end
//! runs as a command the moment it is pasted into a terminal, so none is copied without a word.

use super::{Apply, WindowEffect};
use crate::job::invisible::mark;
use crate::state::State;
use crate::state::toasts::Kind;

/// Kinds of characters that a warning names at most.
const MARKS_MAX: usize = 3;

/// Copies what stands on one line, as names and commands do.
pub fn copy(text: String, cx: &mut Apply<'_>) {
    warn(&text, is_risky, cx.state);
    cx.window(WindowEffect::Copy(text));
}

/// Copies what is laid out on lines, as documents are: their line ends are ours, and line ends
/// inside of values are written as `\n`.
pub fn copy_lines(text: String, cx: &mut Apply<'_>) {
    warn(&text, |c| c != '\n' && is_risky(c), cx.state);
    cx.window(WindowEffect::Copy(text));
}

fn warn(text: &str, is_risky: impl Fn(char) -> bool, state: &mut State) {
    let mut marks: Vec<String> = Vec::new();
    for mark in text.chars().filter(|c| is_risky(*c)).filter_map(mark) {
        if !marks.contains(&mark) {
            marks.push(mark);
        }
        if marks.len() == MARKS_MAX {
            break;
        }
    }
    if marks.is_empty() {
        return;
    }
    let sentence = format!(
        "The copied text contains {}. A terminal may run it when you paste it, or display it \
         differently; check it in an editor first.",
        marks.join(" and ")
    );
    state.toast(Kind::Warning, sentence);
}

/// Whether the character ends a line, drives a terminal, or turns the order of what follows. Others
/// that can't be seen belong to emoji and to languages.
fn is_risky(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Action, ViewAction};
    use crate::apply::Effects;

    /// The text that `action` put on the clipboard, and the marks that it warned of.
    fn copied(action: ViewAction) -> (String, Option<String>) {
        let (mut state, mut effects) = (State::default(), Effects::default());
        super::super::apply(Action::View(action), &mut Apply::new(&mut state, &mut effects));
        let Some(WindowEffect::Copy(text)) = effects.window.pop() else { panic!("no copy") };
        let told = state.toasts.list().first().map(|toast| {
            assert_eq!(toast.kind, Kind::Warning);
            let (marks, _) = toast.text.split_once(". A terminal").expect("the reason");
            marks.trim_start_matches("The copied text contains ").to_owned()
        });
        (text, told)
    }

    #[test]
    fn a_line_end_or_a_control_character_is_never_copied_without_a_word() {
        let check = |text: &str, line: Option<&str>, lines: Option<&str>| {
            for (action, marks) in
                [(ViewAction::Copy(text.into()), line), (ViewAction::CopyLines(text.into()), lines)]
            {
                assert_eq!(copied(action), (text.to_owned(), marks.map(str::to_owned)), "{text:?}");
            }
        };
        check("shop.orders", None, None);
        check("db.c.find({ _id: 'ü 文字 👩\u{200d}🚀' })", None, None);
        check("{\n  _id: 'a\\nb'\n}", Some("\\n"), None);
        check("c\nrm -r ~\n", Some("\\n"), None);
        check("c\rrm", Some("\\r"), Some("\\r"));
        check("c\trm", Some("\\t"), Some("\\t"));
        check("\u{1b}[31m", Some("\\u{1b}"), Some("\\u{1b}"));
        check("\u{9b}31m", Some("\\u{9b}"), Some("\\u{9b}"));
        check("gnp\u{202e}.exe", Some("\\u{202e}"), Some("\\u{202e}"));
        check(
            "a\u{2028}b\u{2066}",
            Some("\\u{2028} and \\u{2066}"),
            Some("\\u{2028} and \\u{2066}"),
        );
        let many = "\u{1}\u{1}\u{2}\u{3}\u{4}";
        let three = "\\u{1} and \\u{2} and \\u{3}";
        check(many, Some(three), Some(three));
    }
}
