//! Splits what was typed or pasted into the pieces that are evaluated and printed on their own.
//!
//! As in mongosh, a piece ends with a line, where what stands so far is complete and the next line
//! doesn't continue it. A line that begins with `(`, `[`, a template or a regular expression begins
//! a piece; JavaScript alone would join it to the line before.

use super::scan::{Scanner, is_word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Script,
    /// A line that isn't JavaScript: `use`, `show`, `it` and their like.
    Command,
    Blank,
}

/// A piece of an input. The texts of all pieces, joined, are the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    pub(super) kind: PieceKind,
}

impl Piece<'_> {
    /// The words of a command, without a closing semicolon or comment.
    pub(super) fn words(&self) -> Vec<String> {
        let line = self.text.split("//").next().unwrap_or_default();
        let line = line.trim().trim_end_matches(';');
        line.split_whitespace().map(str::to_owned).collect()
    }
}

/// One step of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    Script(String),
    /// The words of a line that isn't JavaScript.
    Command(Vec<String>),
}

impl Statement {
    /// Its JavaScript.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Script(text) => text,
            Self::Command(_) => "",
        }
    }
}

/// The steps of what was typed or pasted: each is printed.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let pieces = pieces(text).into_iter().filter(|piece| piece.kind != PieceKind::Blank);
    let step = |piece: Piece<'_>| {
        if piece.kind == PieceKind::Command {
            return Statement::Command(piece.words());
        }
        let mut text = redeclarable(piece.text);
        // mongosh shows a function that was declared.
        if let Some(name) = declared_function(piece.text) {
            text.extend(["\n;", name]);
        }
        Statement::Script(text)
    };
    pieces.map(step).collect()
}

/// The name of the function that a piece declares, if it does nothing else.
fn declared_function(piece: &str) -> Option<&str> {
    let text = piece.trim();
    let rest = text.strip_prefix("async ").unwrap_or(text).strip_prefix("function")?;
    let rest = rest.trim_start_matches([' ', '*']);
    let name = &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())];
    let is_alone = text.ends_with('}') && text.matches("function").count() == 1;
    (is_alone && !name.is_empty()).then_some(name)
}

/// The steps of a file: as few scripts as its commands leave, at the line numbers of the file.
pub(super) fn scripts(text: &str) -> Vec<Statement> {
    let mut steps = Vec::new();
    let (mut lines, mut script) = (0, String::new());
    let flush = |steps: &mut Vec<_>, script: &mut String| {
        if !script.trim().is_empty() {
            steps.push(Statement::Script(redeclarable(script)));
        }
        script.clear();
    };
    for piece in pieces(text) {
        if piece.kind == PieceKind::Command {
            flush(&mut steps, &mut script);
            steps.push(Statement::Command(piece.words()));
        } else {
            if script.is_empty() {
                script.extend(std::iter::repeat_n('\n', lines));
            }
            script.push_str(piece.text);
        }
        lines += piece.text.matches('\n').count();
    }
    flush(&mut steps, &mut script);
    steps
}

/// Commands that need a further word.
const WITH_WORDS: [&str; 2] = ["use", "show"];

/// Commands that stand alone.
const ALONE: [&str; 5] = ["it", "help", "cls", "exit", "quit"];

/// The pieces of an input, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut scanner = Scanner::new(text);
    let (mut start, mut is_begun) = (0, false);
    let push = |pieces: &mut Vec<_>, start: usize, end: usize, kind| {
        if start < end {
            pieces.push(Piece { text: &text[start..end], kind });
        }
        end
    };
    loop {
        let line_end = scanner.skip_trivia();
        if scanner.is_at_end() {
            break;
        }
        if let Some(line_end) = line_end.filter(|_| is_begun && !scanner.continues()) {
            start = push(&mut pieces, start, line_end, PieceKind::Script);
            scanner.begin_statement();
            is_begun = false;
        }
        if !is_begun && let Some((line, end)) = command_line(text, scanner.position()) {
            start = push(&mut pieces, start, line, PieceKind::Blank);
            start = push(&mut pieces, start, end, PieceKind::Command);
            scanner.skip_to(end);
            continue;
        }
        is_begun = true;
        scanner.token();
    }
    let kind = if is_begun { PieceKind::Script } else { PieceKind::Blank };
    push(&mut pieces, start, text.len(), kind);
    pieces
}

/// Whether an input can run, or Enter should add a line to it.
pub fn is_complete(text: &str) -> bool {
    let last = pieces(text).pop();
    last.is_none_or(|piece| {
        let mut scanner = Scanner::new(piece.text);
        scanner.run();
        !scanner.is_unfinished()
    })
}

/// A script whose outermost `let`, `const` and `class` are `var`. Lines keep their numbers.
pub(super) fn redeclarable(text: &str) -> String {
    let mut scanner = Scanner::new(text);
    scanner.run();
    let mut out = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    for declaration in scanner.declarations() {
        out.push_str(&text[copied..declaration.start]);
        copied = declaration.start;
        match &text[declaration.clone()] {
            "class" => {
                let name = text[declaration.end..].trim_start();
                let end = name.find(|c: char| !is_word(c)).unwrap_or(name.len());
                if end > 0 {
                    out.extend(["var ", &name[..end], " = "]);
                }
            }
            // A console may declare a name again, which only `var` allows.
            word => {
                // As long as `const`, so that columns in messages stay right.
                out.push_str(if word == "let" { "var" } else { "var  " });
                copied = declaration.end;
            }
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// The start and end of the line of a command that begins here.
fn command_line(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let word = &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())];
    let is_alone = ALONE.contains(&word);
    if !is_alone && !WITH_WORDS.contains(&word) {
        return None;
    }
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    // Elsewhere than at the beginning of its line, the word is a name of JavaScript.
    if !text[line..at].trim().is_empty() {
        return None;
    }
    let end = rest.find('\n').map_or(text.len(), |newline| at + newline + 1);
    let after = &text[at + word.len()..end];
    let argument = after.trim_start();
    let stands_alone =
        argument.is_empty() || argument.starts_with("//") || argument.trim_end() == ";";
    let has_words =
        // `use = 1` and `show(x)` are JavaScript, so an argument must follow.
        !is_alone && after.starts_with([' ', '\t']) && argument.starts_with(is_argument);
    (stands_alone || has_words).then_some((line, end))
}

/// The characters that begin an argument, but no operator.
fn is_argument(c: char) -> bool {
    is_word(c) || !c.is_ascii() || matches!(c, '"' | '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input, its pieces separated by `¦`.
    #[track_caller]
    fn check(marked: &str) {
        let text = marked.replace('¦', "");
        let found: Vec<_> = pieces(&text).into_iter().map(|piece| piece.text).collect();
        assert_eq!(found.join("¦"), marked);
    }

    #[test]
    fn a_piece_ends_with_its_line() {
        check("a = 1\n¦b = 2");
        check("a = 1; b = 2\n¦c");
        check("a = 1 // one\n¦// two\nb = 2\n");
        check("db.c.insert({a: 1}) //x\n¦db.c.insert({a: 2}) /* y\n */\n¦3");
        check("i++\n¦++i\n¦!a\n¦~a\n¦'x'");
        check("[1, 2].length\n¦(1)\n¦`x`\n¦/x/.test('x')\n¦.5");
        check("a\r\n¦b\r\n");
    }

    #[test]
    fn lines_continue() {
        check("db.c\n  .find()\n  // all\n  .toArray()\n¦1");
        check("a = 1 +\n 2\n¦b = a\n  && c\n  ? 1\n  : 2\n¦d");
        check("f(1,\n2)\n¦[1\n,2]\n¦a = {\n b: [1]\n}\n¦a = x =>\n x + 1\n¦b");
        check("`a\n${`b\n${1}` + {c: 2}}\n`\n¦'x\\\ny'\n¦a");
        check("x = y\n / 2\n¦a = /[/]\\//.test(b)\n¦a / b / c\n¦return /'/\n¦d");
        check("a?.\nb\n¦a\n?.b\n¦a = b\n!= c\n¦a\ninstanceof b\n¦typeof\na");
    }

    #[test]
    fn statements_stay_whole() {
        check("if (a) {\n b\n}\nelse {\n c\n}\n¦d");
        check("if (a)\n b\nelse if (c)\n d;\nelse\n e\n¦f");
        check("for (const a of b)\n c\n¦while (a) { b }\n¦d");
        check("do {\n a\n} while (b)\n¦do\n a\nwhile (b)\n¦c");
        check("try {\n a\n}\ncatch (e) {\n b\n}\nfinally {\n}\n¦try { a } catch\n{ b }\n¦c");
        check("function f(a)\n{\n return a\n}\n¦f(1)\n¦async function* g() {\n}\n¦a");
        check("class A\n extends B\n{\n static a = 1\n b() {}\n}\n¦c");
        check(
            "switch (a)\n{\n case 1: { b }\n}\n¦{\n a\n}\n¦+1\n¦x = function () {\n}\n  .bind(y)\n¦a",
        );
        check("if (/}/.test('}')) { a = '}' } // }\n¦b = {a: 1} / 2\n¦c");
    }

    #[test]
    fn commands_stand_on_their_own_lines() {
        use PieceKind::{Blank, Command, Script};

        let kinds = |text| pieces(text).into_iter().map(|piece| piece.kind).collect::<Vec<_>>();
        check("a\n¦use x\n¦b\n¦show dbs;\n¦it\n");
        assert_eq!(kinds("a\nuse x\nb"), [Script, Command, Script]);
        assert_eq!(kinds("// c\nuse x // d\n"), [Blank, Command]);
        for text in ["use = 1", "use (1)", "it = 5", "show.a", "it('a')", "f(\nuse x\n)", "user x"]
        {
            assert_eq!(kinds(text), [Script], "{text}");
        }
        let words = |text| pieces(text)[0].words();
        assert_eq!(words("use demo; // the demo"), ["use", "demo"]);
        assert_eq!(words(" show  collections\n"), ["show", "collections"]);
    }

    #[test]
    fn an_open_input_asks_for_more() {
        for text in ["", "a", "a;", "use x", "f()\ng()", "if (a) b", "'x", "a // (", "/(/", ")"] {
            assert!(is_complete(text), "{text}");
        }
        for text in
            ["f(", "{", "a =", "`x", "/* x", "if (a)", "else", "`${", "a\nf(", "function f()"]
        {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn any_text_is_split_in_linear_time() {
        // Quadratic work takes minutes even on this length.
        const LENGTH: usize = 1 << 17;
        const PARTS: [&str; 44] = [
            "a",
            "do ",
            "if (",
            "else ",
            "while (",
            ")",
            "(",
            "{",
            "}",
            "[",
            "]",
            "`",
            "${",
            "'",
            "\"",
            "/",
            "/*",
            "*/",
            "//",
            "\n",
            "\r\n",
            "\\",
            ";",
            "=>",
            ".",
            "?.",
            "1",
            "class ",
            "let ",
            "use x",
            "show dbs\n",
            "it",
            " ",
            "é",
            "\u{2028}",
            "function ",
            "try ",
            "catch ",
            "=",
            "...",
            "++",
            "return ",
            "<!--",
            "\u{a0}",
        ];
        let whole = |text: &str| {
            let joined: String = pieces(text).iter().map(|piece| piece.text).collect();
            assert!(joined == text, "the pieces of {text:?} are not the text");
            let _ = is_complete(text);
            redeclarable(text);
        };
        let mut seed = 0x2545_F491_4F6C_DD1D_u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            usize::try_from(seed % 1_000_003).expect("it is small")
        };
        for _ in 0..3_000 {
            let length = random() % 40;
            let text: String = (0..length).map(|_| PARTS[random() % PARTS.len()]).collect();
            whole(&text);
        }
        for first in PARTS {
            whole(&first.repeat(LENGTH / first.len()));
            let mut text = String::new();
            let second = PARTS[random() % PARTS.len()];
            while text.len() < LENGTH {
                text += first;
                text += second;
            }
            whole(&text);
        }
        whole(&("do ".repeat(150_000) + &"()".repeat(150_000)));
        whole(&"=/[ ".repeat(LENGTH));
    }

    #[test]
    fn a_file_keeps_its_lines() {
        let found = scripts("let a\n\nuse x\n\nf()\ng()\n");
        let script = |text: &str| Statement::Script(text.to_owned());
        let command = Statement::Command(vec!["use".to_owned(), "x".to_owned()]);
        assert_eq!(found, [script("var a\n\n"), command, script("\n\n\n\nf()\ng()\n")]);
    }

    #[test]
    fn names_may_be_declared_again() {
        let check = |text, expected| assert_eq!(redeclarable(text), expected);
        check("let a = 1; const b = 2\nlet c", "var a = 1; var   b = 2\nvar c");
        check("{ let a }\nfor (const a of b) { let c }", "{ let a }\nfor (const a of b) { let c }");
        check("class A extends B {}", "var A = class A extends B {}");
        check("a = class {}\nx.let\n`let a`", "a = class {}\nx.let\n`let a`");
        check("if (a) {}\nconst b = 1", "if (a) {}\nvar   b = 1");
    }
}
