//! Whether an input can be run, or its next line is still to come.

/// Whether nothing is left open at the end: no bracket, template, comment or operator. A wrong input
/// counts as complete, so that its error is shown.
#[must_use]
pub fn is_complete(text: &str) -> bool {
    let mut scan = Scan { rest: text, open: Vec::new(), last: None };
    while let Some(c) = scan.rest.chars().next() {
        if !scan.step(c) {
            return false;
        }
    }
    scan.open.is_empty() && !scan.waits_for_operand(text)
}

struct Scan<'a> {
    rest: &'a str,
    /// Closing brackets that are to come; `}` of a template's `${` is a backquote.
    open: Vec<char>,
    /// The last character that is neither space nor comment.
    last: Option<char>,
}

impl Scan<'_> {
    /// Reads what begins with `c`. Returns whether it ends in this text.
    fn step(&mut self, c: char) -> bool {
        let after = &self.rest[c.len_utf8()..];
        match c {
            '/' if after.starts_with('/') => self.skip(self.rest.find('\n')),
            '/' if after.starts_with('*') => {
                let end = self.rest[2..].find("*/");
                let Some(end) = end else { return false };
                self.skip(Some(end + 4));
            }
            '/' if self.expects_value() => self.literal(c, regex(self.rest)),
            '"' | '\'' => self.literal(c, quoted(self.rest, c)),
            '`' => return self.template(1),
            '(' | '[' | '{' => {
                self.open.push(match c {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                });
                self.literal(c, 1);
            }
            '}' if self.open.last() == Some(&'`') => {
                self.open.pop();
                return self.template(1);
            }
            ')' | ']' | '}' => {
                if self.open.pop() != Some(c) {
                    // It is wrong, and more text does not mend it.
                    self.open.clear();
                    self.skip(None);
                }
                self.literal(c, 1.min(self.rest.len()));
            }
            c if c.is_whitespace() => self.rest = after,
            c => self.literal(c, c.len_utf8()),
        }
        true
    }

    /// Leaves out what comes before `end`, or everything.
    fn skip(&mut self, end: Option<usize>) {
        self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
    }

    fn literal(&mut self, last: char, length: usize) {
        self.last = Some(last);
        self.skip(Some(length));
    }

    /// Reads a template from `from` on: to its end, or to `${`.
    fn template(&mut self, from: usize) -> bool {
        let mut at = from;
        while let Some(c) = self.rest[at..].chars().next() {
            match c {
                '`' => {
                    self.literal('`', at + 1);
                    return true;
                }
                '$' if self.rest[at + 1..].starts_with('{') => {
                    self.open.push('`');
                    self.literal('{', at + 2);
                    return true;
                }
                '\\' => at += 1 + self.rest[at + 1..].chars().next().map_or(0, char::len_utf8),
                c => at += c.len_utf8(),
            }
        }
        false
    }

    /// Whether a slash begins a regular expression here, and is no division.
    fn expects_value(&self) -> bool {
        self.last.is_none_or(|last| "(,=:[!&|?{};+-*%<>~^".contains(last))
    }

    /// Whether the text ends with an operator whose right side is missing.
    fn waits_for_operand(&self, text: &str) -> bool {
        let text = text.trim_end();
        let is_step = text.ends_with("++") || text.ends_with("--");
        // A comment or a literal at the end may end with the same character.
        let is_last = self.last == text.chars().next_back();
        is_last && !is_step && self.last.is_some_and(|last| ".,+-*%=&|?:<^".contains(last))
    }
}

/// The length of a quoted text: to its quote, or to the end of the line, where it is wrong.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a regular expression without its flags; 1 if the line has none.
fn regex(text: &str) -> usize {
    let (mut escaped, mut in_class) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return at + 1,
            _ => {}
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_end_waits_for_more() {
        for text in [
            "db.sessions.find({",
            "function f() {",
            "[1, 2,",
            "`a\nb",
            "`a ${ 1 + `b` ",
            "/* a comment",
            "1 +",
            "x =",
            "db.sessions.",
            "db.c.insertOne({ a: ')' }",
            "if (/[/)]/.test(x)) {",
            "({ a: 1, // )\n",
            "a ?\n  b :",
            "() =>\n{",
        ] {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn a_whole_input_is_run() {
        for text in [
            "",
            "use demo",
            "show collections",
            "db.sessions.find({ a: '{' })",
            "x++",
            "x--  ",
            "1 / 2 / 3",
            "a = /[/)(]\\/(/",
            "`a ${ {b: `c}`} } d`",
            "1 // +",
            "1 /* + */",
            "'ends with +'",
            "'it\\'s ('",
            "`\\`(`",
            "// (",
            "ü = 'ö'",
            "x => {}",
        ] {
            assert!(is_complete(text), "{text}");
        }
    }

    #[test]
    fn a_wrong_input_is_run_so_that_its_error_is_shown() {
        for text in [")", "f(]", "{ ( }", "'open", "\"open\n(", "(1))"] {
            let expected = text != "\"open\n(";
            assert_eq!(is_complete(text), expected, "{text}");
        }
    }
}
