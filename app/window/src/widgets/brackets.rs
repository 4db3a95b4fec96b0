//! Brackets and quotes in pairs while code is typed.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Context, Event, Id, Key};

/// Text and the selection in it, in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edited {
    text: Vec<char>,
    from: usize,
    to: usize,
}

/// Takes the typed brackets and quotes of this frame out of the input of a focused field, and types
/// them in pairs. Called before the field is drawn.
pub fn type_pairs(context: &Context, id: Id, text: &mut String) {
    let is_pairing = context.input(|input| input.events.iter().any(is_of_pairs));
    let state = TextEditState::load(context, id).filter(|_| is_pairing);
    let Some(mut state) = state else { return };
    let Some(range) = state.cursor.char_range() else { return };
    let [from, to] = range.sorted_cursors().map(|cursor| cursor.index.0);
    let mut edited = Edited { text: text.chars().collect(), from, to };
    let before = edited.clone();
    context.input_mut(|input| {
        let mut is_over = false;
        input.events.retain(|event| {
            // Keys that move the cursor or delete are the field's, and so is what follows them.
            is_over |= !is_harmless(event);
            let is_taken = !is_over && edited.take(event);
            !is_taken
        });
    });
    if edited == before {
        return;
    }
    let (from, to) = (CCursor::new(edited.from), CCursor::new(edited.to));
    *text = edited.text.into_iter().collect();
    state.cursor.set_char_range(Some(CCursorRange::two(from, to)));
    state.store(context, id);
}

/// Whether this is typed in pairs, or deletes a pair.
fn is_of_pairs(event: &Event) -> bool {
    match event {
        Event::Text(typed) => {
            let mut chars = typed.chars();
            matches!((chars.next(), chars.next()), (Some(c), None) if pair(c).is_some() || is_closing(c))
        }
        event => is_backspace(event),
    }
}

fn is_backspace(event: &Event) -> bool {
    matches!(event, Event::Key { key: Key::Backspace, pressed: true, modifiers, .. } if modifiers.is_none())
}

/// Whether events after this one find the text and the cursor as this module left them.
fn is_harmless(event: &Event) -> bool {
    match event {
        Event::Key { key, pressed: true, modifiers, .. } => {
            let moves = [
                Key::ArrowLeft,
                Key::ArrowRight,
                Key::ArrowUp,
                Key::ArrowDown,
                Key::Home,
                Key::End,
                Key::PageUp,
                Key::PageDown,
                Key::Delete,
                Key::Enter,
                Key::Tab,
            ];
            is_backspace(event)
                || !moves.contains(key) && !modifiers.command && *key != Key::Backspace
        }
        Event::Paste(_) | Event::Cut | Event::Copy | Event::Ime(_) => false,
        _ => true,
    }
}

/// The closing one of a pair.
fn pair(open: char) -> Option<char> {
    match open {
        '{' => Some('}'),
        '[' => Some(']'),
        '(' => Some(')'),
        '\'' | '"' => Some(open),
        _ => None,
    }
}

fn is_closing(c: char) -> bool {
    matches!(c, '}' | ']' | ')')
}

impl Edited {
    /// Takes an event. Returns whether it was one that changes the text.
    fn take(&mut self, event: &Event) -> bool {
        match event {
            Event::Text(typed) => {
                let mut chars = typed.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => self.type_one(c),
                    _ => self.insert(typed),
                }
                true
            }
            event if is_backspace(event) => {
                self.backspace();
                true
            }
            _ => false,
        }
    }

    fn type_one(&mut self, c: char) {
        let next = self.text.get(self.to).copied();
        let previous = self.from.checked_sub(1).and_then(|at| self.text.get(at)).copied();
        let is_quote = pair(c) == Some(c);
        if self.from == self.to && next == Some(c) && (is_closing(c) || is_quote) {
            // It is there already.
            self.from += 1;
            self.to = self.from;
            return;
        }
        let Some(closing) = pair(c) else { return self.insert(&c.to_string()) };
        if self.from < self.to {
            self.text.insert(self.to, closing);
            self.text.insert(self.from, c);
            (self.from, self.to) = (self.from + 1, self.to + 1);
            return;
        }
        // Before a word the bracket is for that word, and a quote after a letter is an apostrophe.
        let is_before_word =
            next.is_some_and(|next| next.is_alphanumeric() || pair(next).is_some());
        let is_in_word =
            is_quote && previous.is_some_and(|it| it.is_alphanumeric() || it == c || it == '\\');
        if is_before_word || is_in_word {
            return self.insert(&c.to_string());
        }
        self.insert(&[c, closing].iter().collect::<String>());
        self.from -= 1;
        self.to = self.from;
    }

    fn insert(&mut self, typed: &str) {
        self.text.splice(self.from..self.to, typed.chars());
        self.from += typed.chars().count();
        self.to = self.from;
    }

    fn backspace(&mut self) {
        if self.from < self.to {
            return self.insert("");
        }
        let Some(at) = self.from.checked_sub(1) else { return };
        let is_pair = self.text.get(at).and_then(|open| pair(*open))
            == self.text.get(self.to).copied()
            && self.to < self.text.len();
        self.text.drain(at..if is_pair { self.to + 1 } else { self.to });
        (self.from, self.to) = (at, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text with the selection between two marks, or the cursor at one.
    fn edited(marked: &str) -> Edited {
        let at: Vec<usize> =
            marked.chars().enumerate().filter(|(_, c)| *c == '|').map(|(at, _)| at).collect();
        let (from, to) = (at[0], at.get(1).map_or(at[0], |to| to - 1));
        Edited { text: marked.chars().filter(|c| *c != '|').collect(), from, to }
    }

    #[track_caller]
    fn check(before: &str, typed: &str, after: &str) {
        let mut found = edited(before);
        for c in typed.chars() {
            let event = if c == '<' {
                let modifiers = egui::Modifiers::NONE;
                let (key, physical_key) = (Key::Backspace, None);
                Event::Key { key, physical_key, pressed: true, repeat: false, modifiers }
            } else {
                Event::Text(c.to_string())
            };
            assert!(found.take(&event));
        }
        assert_eq!(found, edited(after), "{before} {typed}");
    }

    #[test]
    fn brackets_and_quotes_come_in_pairs() {
        check("|", "{", "{|}");
        check("|", "{ a: [", "{ a: [|]}");
        check("{a: |}", "'x'", "{a: 'x'|}");
        check("{a: f(|)}", ")", "{a: f()|}");
        check("{a|}", "}", "{a}|");
    }

    #[test]
    fn a_selection_is_put_into_the_pair() {
        check("{a: |ü|}", "'", "{a: '|ü|'}");
        check("|a: 1|", "{", "{|a: 1|}");
    }

    #[test]
    fn nothing_is_closed_within_a_word() {
        check("|x", "(", "(|x");
        check("it|", "'", "it'|");
        check("'a\\|'", "'", "'a\\'|");
    }

    #[test]
    fn an_empty_pair_is_deleted_as_a_whole() {
        check("{|}", "<", "|");
        check("{a|}", "<", "{|}");
        check("|ab|c", "<", "|c");
        check("|a", "<", "|a");
    }
}
