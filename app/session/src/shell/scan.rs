//! Reads the tokens of JavaScript, as far as it takes to know where a statement ends.
//!
//! Any text is accepted, in linear time. Where the grammar would have to be known, such as the
//! meaning of a brace, the scanner decides by the token before.

use std::ops::Range;

/// The token before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    /// A name, a literal or a closing bracket.
    Operand,
    /// An operator, or a keyword that needs an operand.
    Operator,
    /// `.` or `?.`: a name follows, even if it is a keyword elsewhere.
    Dot,
    /// A keyword that may end a statement, such as `return`.
    Keyword,
    /// A statement or a body must follow it: `else`, `=>`, the closing bracket of `if (…)`.
    Head,
    Semicolon,
    /// The `}` of a block.
    Block,
}

/// An open bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `[`, and `(` of a call or a grouping.
    Bracket(u8),
    /// `(` after `if`, `function f` and their like: a body follows.
    Head,
    Block,
    Object,
    /// `${` in a template.
    Substitution,
}

/// A position in a text, and what was read before it.
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the text so far")]
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    last: Last,
    /// The next `(` has a body after it.
    awaits_head: bool,
    /// A class without its body yet, by the number of open brackets.
    class_depth: Option<usize>,
    /// Each `do` without its `while`, by the number of open brackets.
    do_depths: Vec<usize>,
    has_if: bool,
    has_try: bool,
    /// A comment or a template has no end.
    is_unclosed: bool,
    /// No regular expression begins before this position: its line holds no end of one.
    no_regex_until: usize,
    declarations: Vec<Range<usize>>,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            last: Last::Nothing,
            awaits_head: false,
            class_depth: None,
            do_depths: Vec::new(),
            has_if: false,
            has_try: false,
            is_unclosed: false,
            no_regex_until: 0,
            declarations: Vec::new(),
        }
    }

    /// Reads everything as one script.
    pub(super) fn run(&mut self) {
        loop {
            let is_new_line = self.skip_trivia().is_some();
            if self.is_at_end() {
                return;
            }
            // A new line ends a statement only where no bracket is open.
            if is_new_line && self.open.is_empty() && !self.continues() {
                self.begin_statement();
            }
            self.token();
        }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn skip_to(&mut self, position: usize) {
        self.at = position;
        self.begin_statement();
    }

    /// The outermost `let`, `const` and `class` that begin a statement.
    pub(super) fn declarations(&self) -> &[Range<usize>] {
        &self.declarations
    }

    /// Whether a bracket, a comment or a template is open.
    pub(super) fn is_open(&self) -> bool {
        self.is_unclosed || !self.open.is_empty()
    }

    /// Whether a statement can't end here.
    pub(super) fn is_unfinished(&self) -> bool {
        self.is_open()
            || self.awaits_head
            || self.class_depth.is_some()
            || matches!(self.last, Last::Operator | Last::Dot | Last::Head)
    }

    pub(super) fn begin_statement(&mut self) {
        self.last = Last::Nothing;
        self.do_depths.clear();
        (self.has_if, self.has_try) = (false, false);
    }

    /// Skips white space and comments. Returns the end of the first line that ended on the way.
    pub(super) fn skip_trivia(&mut self) -> Option<usize> {
        let mut line_end = None;
        loop {
            let rest = &self.text[self.at..];
            let Some(first) = rest.chars().next() else { return line_end };
            if is_line_end(first) {
                self.at += if rest.starts_with("\r\n") { 2 } else { first.len_utf8() };
                line_end = line_end.or(Some(self.at));
            } else if first.is_whitespace() || first == '\u{feff}' {
                self.at += first.len_utf8();
            } else if rest.starts_with("//") {
                self.at += rest.find(is_line_end).unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/").map(|end| end + 4);
                self.is_unclosed |= end.is_none();
                self.at += end.unwrap_or(rest.len());
            } else {
                return line_end;
            }
        }
    }

    /// Whether the token here, on a new line, belongs to the statement before.
    pub(super) fn continues(&self) -> bool {
        if self.is_unfinished() {
            return true;
        }
        let rest = &self.text[self.at..];
        let second = rest.chars().nth(1).unwrap_or(' ');
        match rest.chars().next().unwrap_or(' ') {
            first if is_word(first) => self.word_continues(word(rest)),
            _ if self.last == Last::Semicolon => false,
            // `.5` is a number and `...` a spread, so neither continues the statement before.
            '.' => !second.is_ascii_digit() && second != '.',
            '?' | ':' | ',' | ')' | ']' | '*' | '%' | '&' | '|' | '^' | '<' | '>' | '=' => true,
            '!' => second == '=',
            // `++` and `--` after a line end belong to the next statement.
            first @ ('+' | '-') => self.last != Last::Block && second != first,
            '/' => self.last != Last::Block && (second == ' ' || second == '='),
            _ => false,
        }
    }

    fn word_continues(&self, word: &str) -> bool {
        match word {
            "else" => self.has_if,
            "catch" | "finally" => self.has_try,
            "while" => self.do_depths.last() == Some(&0),
            "in" | "instanceof" => self.last == Last::Operand,
            _ => false,
        }
    }

    /// Reads one token.
    pub(super) fn token(&mut self) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return };
        match first {
            '"' | '\'' => self.quoted(first),
            '`' => {
                self.at += 1;
                self.template();
            }
            '0'..='9' => self.number(),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            _ if is_word(first) => self.name(),
            '(' | '[' | '{' => self.open_bracket(first),
            ')' | ']' | '}' => self.close_bracket(first),
            // After an operand, a slash divides.
            '/' if self.last != Last::Operand && self.at >= self.no_regex_until => self.regex(),
            _ => self.operator(first),
        }
    }

    fn quoted(&mut self, quote: char) {
        let mut characters = self.text[self.at + 1..].char_indices();
        let mut end = self.text.len();
        while let Some((offset, character)) = characters.next() {
            if character == '\\' {
                if matches!(characters.next(), Some((_, '\r')))
                    && characters.as_str().starts_with('\n')
                {
                    characters.next();
                }
            } else if character == quote {
                end = self.at + 1 + offset + 1;
                break;
            } else if matches!(character, '\n' | '\r') {
                // It has no end, which the compiler will say.
                end = self.at + 1 + offset;
                break;
            }
        }
        self.at = end;
        self.last = Last::Operand;
    }

    /// The text of a template, up to its end or the next `${`.
    fn template(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8),
                b'`' => {
                    self.last = Last::Operand;
                    return;
                }
                b'$' if bytes.get(self.at) == Some(&b'{') => {
                    self.at += 1;
                    self.open.push(Open::Substitution);
                    self.last = Last::Operator;
                    return;
                }
                _ => {}
            }
        }
        self.is_unclosed = true;
    }

    fn number(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c: char| c != '.' && !is_word(c)).unwrap_or(rest.len());
        self.last = Last::Operand;
    }

    fn name(&mut self) {
        let start = self.at;
        let word = word(&self.text[start..]);
        self.at += word.len();
        if self.last == Last::Dot {
            self.last = Last::Operand;
            return;
        }
        let begins = matches!(self.last, Last::Nothing | Last::Semicolon | Last::Block);
        if matches!(word, "let" | "const" | "class") && begins && self.open.is_empty() {
            self.declarations.push(start..self.at);
        }
        self.last = match word {
            "while"
                if begins_tail(self.last) && self.do_depths.last() == Some(&self.open.len()) =>
            {
                self.do_depths.pop();
                Last::Operand
            }
            "if" | "for" | "while" | "switch" | "with" | "catch" => {
                self.has_if |= word == "if" && self.open.is_empty();
                self.awaits_head = true;
                Last::Operator
            }
            "function" => {
                self.awaits_head = true;
                Last::Operator
            }
            "class" => {
                self.class_depth = Some(self.open.len());
                Last::Operator
            }
            "do" => {
                self.do_depths.push(self.open.len());
                Last::Head
            }
            "else" | "finally" | "try" => {
                self.has_try |= word == "try" && self.open.is_empty();
                Last::Head
            }
            "typeof" | "void" | "delete" | "new" | "in" | "instanceof" | "var" | "let"
            | "const" | "extends" | "await" | "yield" | "case" | "throw" => Last::Operator,
            "return" | "break" | "continue" => Last::Keyword,
            _ => Last::Operand,
        };
    }

    fn open_bracket(&mut self, bracket: char) {
        self.at += 1;
        let opened = match bracket {
            '(' if self.awaits_head => Open::Head,
            '(' => Open::Bracket(b')'),
            '[' => Open::Bracket(b']'),
            _ => {
                let is_class = self.class_depth == Some(self.open.len());
                let is_object = matches!(self.last, Last::Operator | Last::Dot | Last::Keyword);
                if is_class {
                    self.class_depth = None;
                }
                // `catch {` has no brackets.
                let is_catch = std::mem::take(&mut self.awaits_head);
                if is_object && !is_class && !is_catch { Open::Object } else { Open::Block }
            }
        };
        if bracket == '(' {
            self.awaits_head = false;
        }
        self.open.push(opened);
        // In brackets of a call, `{` begins an object; in a block, a statement.
        self.last = if opened == Open::Block { Last::Nothing } else { Last::Operator };
    }

    fn close_bracket(&mut self, bracket: char) {
        self.at += 1;
        let Some(&open) = self.open.last() else {
            self.last = Last::Operand;
            return;
        };
        let (closes, last) = match open {
            Open::Bracket(closing) => (char::from(closing), Last::Operand),
            Open::Head => (')', Last::Head),
            Open::Block => ('}', Last::Block),
            Open::Object | Open::Substitution => ('}', Last::Operand),
        };
        // A bracket that closes none is passed over, so that the compiler sees and refuses it.
        if closes != bracket {
            self.last = Last::Operand;
            return;
        }
        self.open.pop();
        let depth = self.open.len();
        while self.do_depths.pop_if(|do_depth| *do_depth > depth).is_some() {}
        if self.class_depth.is_some_and(|class| class > depth) {
            self.class_depth = None;
        }
        self.awaits_head = false;
        self.last = last;
        if open == Open::Substitution {
            self.template();
        }
    }

    fn regex(&mut self) {
        let mut is_class = false;
        let mut characters = self.text[self.at + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '\\' => {
                    characters.next();
                }
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => {
                    self.at += offset + 2;
                    self.last = Last::Operand;
                    return;
                }
                '\n' | '\r' => {
                    // The rest of the line isn't searched again, or a line of slashes would take
                    // quadratic time.
                    self.no_regex_until = self.at + 1 + offset;
                    return self.operator('/');
                }
                _ => {}
            }
        }
        self.no_regex_until = self.text.len();
        self.operator('/');
    }

    fn operator(&mut self, first: char) {
        let rest = &self.text[self.at..];
        let after_operand = matches!(self.last, Last::Operand | Last::Block);
        let (length, last) = match first {
            ';' => (1, Last::Semicolon),
            '.' if rest.starts_with("...") => (3, Last::Operator),
            '.' => (1, Last::Dot),
            '?' if rest.starts_with("?.") => (2, Last::Dot),
            '=' if rest.starts_with("=>") => (2, Last::Head),
            // After an operand they end it; before one, they are part of it.
            '+' if rest.starts_with("++") && after_operand => (2, Last::Operand),
            '-' if rest.starts_with("--") && after_operand => (2, Last::Operand),
            _ => (first.len_utf8(), Last::Operator),
        };
        self.at += length;
        self.last = last;
    }
}

/// Whether `while` after this may belong to a `do`.
fn begins_tail(last: Last) -> bool {
    matches!(last, Last::Nothing | Last::Operand | Last::Semicolon | Last::Block)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn word(rest: &str) -> &str {
    &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())]
}

/// Whether a name may contain this.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '\\')
}
