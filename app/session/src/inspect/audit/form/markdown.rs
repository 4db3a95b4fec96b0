//! The audit as Markdown, for a ticket or a wiki.

use std::fmt::Write as _;

use super::{
    AHEAD, Audit, Finding, counts, effort, example, further, learn, monitor, not_finished, pace,
    place, ruled, sample, table, title,
};
use crate::job::invisible::with_marks;

/// The audit, worst first.
pub fn markdown(audit: &Audit) -> String {
    let facts = &audit.facts;
    let mut out = format!("# {}\n\n", escaped(&title(audit)));
    let counts = format!("{}.", counts(audit));
    let sentences = [Some(counts), Some(monitor(facts)), pace(facts), Some(effort(facts))];
    for sentence in sentences.into_iter().flatten() {
        // Writing to a String can't fail.
        let _ = writeln!(out, "{}", escaped(&sentence));
    }
    for finding in &audit.findings {
        write_finding(&mut out, finding);
    }
    if ruled(facts).next().is_some() {
        out.push_str("\n## Documents that expire\n\n| collection |");
        let heading: Vec<String> = AHEAD.iter().map(|column| format!(" {column} |")).collect();
        let _ = writeln!(out, "{}\n|---|{}", heading.concat(), "--:|".repeat(AHEAD.len()));
        let (rows, more) = table(facts);
        for (name, cells) in rows {
            let _ = writeln!(out, "| {} | {} |", escaped(&name), cells.join(" | "));
        }
        if let Some(more) = further(more) {
            let _ = writeln!(out, "\n{more}");
        }
    }
    for (at, line) in not_finished(facts).iter().enumerate() {
        if at == 0 {
            out.push_str("\n## Not finished\n\n");
        }
        let _ = writeln!(out, "- {}", escaped(line));
    }
    out
}

fn write_finding(out: &mut String, finding: &Finding) {
    let place = place(finding);
    let at = if place.is_empty() { String::new() } else { format!(": {}", escaped(&place)) };
    let (severity, code) = (finding.severity.word(), finding.id.code());
    let _ = writeln!(out, "\n## {severity}: {code}{at}\n\n{}\n", escaped(&finding.sentence));
    let examples = finding.examples.iter().map(|one| format!("Example: {}", example(one)));
    for line in finding.evidence.iter().cloned().chain(sample(finding)).chain(examples) {
        let _ = writeln!(out, "- {}", escaped(&line));
    }
    let _ = writeln!(out, "\n{}", escaped(&finding.mend.sentence));
    if let Some(command) = &finding.mend.command {
        let lines: Vec<String> = command.lines().map(with_marks).collect();
        // A fence longer than any in the code.
        let fence = "`".repeat(3 + command.matches("```").count());
        let _ = writeln!(out, "\n{fence}js\n{}\n{fence}", lines.join("\n"));
    }
    let _ = writeln!(out, "\nLearn: {}", escaped(&learn(finding)));
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in with_marks(text).chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '!')
        {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
