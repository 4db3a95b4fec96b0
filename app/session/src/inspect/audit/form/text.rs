//! The audit for a terminal of 80 columns.

use std::fmt::Write as _;
use std::mem;

use super::{AHEAD, Finding, Severity};
use super::{
    Audit, counts, effort, example, learn, monitor, not_finished, nothing_found, pace, place,
    ruled, sample, table, title,
};
use crate::job::invisible::with_marks;

/// Columns of the terminal.
const COLUMNS: usize = 80;

/// Columns before the text of a finding.
const INDENT: usize = 9;

/// Lines of a command; the other forms have all of them.
const COMMAND_LINES: usize = 6;

/// Characters of a name in the table of collections.
const NAME: usize = 26;

/// Whether severities have a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Colors,
    Plain,
}

impl Paint {
    fn label(self, severity: Severity) -> String {
        let (label, code) = match severity {
            Severity::Error => ("ERROR", "1;31"),
            Severity::Warning => ("WARNING", "1;33"),
            Severity::Info => ("NOTE", "1;36"),
        };
        let label = format!("{label:<INDENT$}");
        match self {
            Self::Colors => format!("\u{1b}[{code}m{label}\u{1b}[0m"),
            Self::Plain => label,
        }
    }
}

/// The audit, worst first. Nothing in a name or a message reaches the terminal as a control character.
pub fn text(audit: &Audit, paint: Paint) -> String {
    let facts = &audit.facts;
    let mut out = Out::default();
    out.wrap(0, &format!("{}: {}.", title(audit), counts(audit)));
    out.wrap(0, &monitor(facts));
    if let Some(pace) = pace(facts) {
        out.wrap(0, &pace);
    }
    out.wrap(0, &effort(facts));
    for finding in &audit.findings {
        out.finding(finding, paint);
    }
    if audit.findings.is_empty() {
        out.line("");
        out.wrap(0, &format!("{}.", nothing_found(facts)));
    }
    if ruled(facts).next().is_some() {
        out.table(audit);
    }
    let unfinished = not_finished(facts);
    if !unfinished.is_empty() {
        out.line("");
        out.line("Not finished, so nothing is known to be fine there:");
        for line in &unfinished {
            out.hang(2, "- ", line);
        }
    }
    out.0
}

#[derive(Default)]
struct Out(String);

impl Out {
    fn line(&mut self, line: &str) {
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    /// A sentence in lines that begin this far from the left.
    fn wrap(&mut self, indent: usize, sentence: &str) {
        self.hang(indent, "", sentence);
    }

    /// The same with a mark before the first line.
    fn hang(&mut self, indent: usize, mark: &str, sentence: &str) {
        let inner = indent + mark.chars().count();
        let mut before = format!("{:indent$}{mark}", "");
        for line in wrapped(&with_marks(sentence), COLUMNS.saturating_sub(inner)) {
            self.line(&format!("{before}{line}"));
            before = " ".repeat(inner);
        }
    }

    fn finding(&mut self, finding: &Finding, paint: Paint) {
        self.line("");
        let place = with_marks(&place(finding));
        let gap = if place.is_empty() { "" } else { "  " };
        let heading = format!("{}{gap}{place}", finding.id.code());
        let mut before = paint.label(finding.severity);
        for line in wrapped(&heading, COLUMNS - INDENT) {
            self.line(&format!("{before}{line}"));
            before = " ".repeat(INDENT);
        }
        self.wrap(INDENT, &finding.sentence);
        for sentence in finding.evidence.iter().cloned().chain(sample(finding)) {
            self.hang(INDENT, "- ", &sentence);
        }
        for one in &finding.examples {
            self.hang(INDENT, "Example: ", &example(one));
        }
        if !finding.mend.sentence.is_empty() {
            self.hang(INDENT, "Mend: ", &finding.mend.sentence);
        }
        if let Some(command) = &finding.mend.command {
            self.command(command);
        }
        self.hang(INDENT, "Learn: ", &learn(finding));
    }

    fn command(&mut self, command: &str) {
        let indent = INDENT + 4;
        let lines: Vec<String> =
            command.lines().flat_map(|line| broken(&with_marks(line), COLUMNS - indent)).collect();
        let shown = if lines.len() > COMMAND_LINES + 1 { COMMAND_LINES } else { lines.len() };
        for line in lines.iter().take(shown) {
            self.line(&format!("{:indent$}{line}", ""));
        }
        if shown < lines.len() {
            let rest = lines.len() - shown;
            self.line(&format!(
                "{:indent$}… {rest} more lines; --markdown and --html have them",
                ""
            ));
        }
    }

    fn table(&mut self, audit: &Audit) {
        self.line("");
        let mut heading = format!("{:<NAME$}", "Documents that expire");
        for column in AHEAD {
            // A string takes whatever is written to it.
            let _ = write!(heading, " {column:>8}");
        }
        self.line(&heading);
        let (rows, further) = table(&audit.facts);
        for (name, cells) in rows {
            let name = with_marks(&name);
            if name.chars().count() > NAME {
                self.wrap(0, &name);
            }
            let name = if name.chars().count() > NAME { "" } else { &name };
            let mut line = format!("{name:<NAME$}");
            for cell in cells {
                let _ = write!(line, " {cell:>8}");
            }
            self.line(&line);
        }
        if let Some(more) = super::further(further) {
            self.line(&more);
        }
    }
}

/// A sentence in lines of at most this many columns. A word that is longer is broken.
fn wrapped(sentence: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for (at, word) in sentence.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && used + 1 + length > columns {
            lines.push(mem::take(&mut line));
            used = 0;
        } else if at > 0 {
            line.push(' ');
            used += 1;
        }
        for letter in word.chars() {
            if used == columns {
                lines.push(mem::take(&mut line));
                used = 0;
            }
            line.push(letter);
            used += 1;
        }
    }
    lines.push(line);
    lines
}

/// A line of JavaScript in lines of at most this many columns, where it may be broken: after a comma or an
/// open bracket, or before a method, and in no text.
fn broken(line: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut start, mut fits, mut used) = (0, None, 0);
    let (mut quote, mut before, mut is_escaped) = (None, ' ', false);
    for (at, letter) in line.char_indices() {
        match (quote, before, letter) {
            (None, ',' | '{' | '(' | '[', ' ') => fits = Some((at, at + 1)),
            (None, ')', '.') => fits = Some((at, at)),
            _ => {}
        }
        used += 1;
        if used > columns
            && let Some((end, next)) = fits.take()
        {
            lines.push(line.get(start..end).unwrap_or_default().to_owned());
            start = next;
            used = 2 + line.get(start..=at).map_or(0, |rest| rest.chars().count());
        }
        quote = match (quote, letter) {
            _ if is_escaped => quote,
            (None, '\'' | '"' | '`') => Some(letter),
            (Some(open), letter) if open == letter => None,
            _ => quote,
        };
        is_escaped = letter == '\\' && !is_escaped;
        before = letter;
    }
    lines.push(line.get(start..).unwrap_or_default().to_owned());
    for line in lines.iter_mut().skip(1) {
        line.insert_str(0, "  ");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_broken_where_mongosh_reads_on() {
        let check =
            |line: &str, expected: &[&str]| assert_eq!(broken(line, 20), expected, "{line}");
        check("db.c.find()", &["db.c.find()"]);
        check(
            "db.c.find({ a: 1, b: 2, c: 3, d: 4 })",
            &["db.c.find({ a: 1,", "  b: 2, c: 3,", "  d: 4 })"],
        );
        check("f({ text: 'a, b, c, d, e, f' })", &["f({", "  text: 'a, b, c, d, e, f' })"]);
        check("db.getSiblingDB('d').c.find()", &["db.getSiblingDB('d')", "  .c.find()"]);
        check("averyveryverylongwordindeed()", &["averyveryverylongwordindeed()"]);
    }
}
