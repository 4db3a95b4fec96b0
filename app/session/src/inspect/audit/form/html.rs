//! The audit as one HTML file, without scripts, network or outside references. It prints on A4.

use std::fmt::Write as _;

use super::super::facts::{CollectionFacts, DAYS, Facts};
use super::{
    AHEAD, Audit, Finding, SHOWN_MAX, counts, effort, example, further, largest, learn, monitor,
    not_finished, nothing_found, pace, place, ruled, sample, svg, title,
};
use crate::job::invisible::with_marks;
use crate::job::number;

const STYLE: &str = "
:root { color-scheme: light; }
body { font: 11pt/1.45 system-ui, sans-serif; color: #1b1f24; background: #fff; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2rem; break-after: avoid; }
h3 { font-size: 1rem; margin: 0 0 .3rem; } p { margin: .3rem 0; } ul { margin: .3rem 0; padding-left: 1.2rem; }
.quiet { color: #57606a; font-size: .9rem; }
article { border-left: 4px solid #8c959f; padding: .2rem 0 .2rem .9rem; margin: 1.1rem 0; break-inside: avoid; }
article.error { border-color: #cf222e; } article.warning { border-color: #bf8700; } article.info { border-color: #0969da; }
.word { font-weight: 700; text-transform: uppercase; font-size: .75rem; letter-spacing: .05em; }
.error .word { color: #a40e26; } .warning .word { color: #7d4e00; } .info .word { color: #0550ae; }
pre { background: #f6f8fa; padding: .5rem .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .82rem; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; } th, td { padding: .25rem .4rem; border-bottom: 1px solid #d0d7de; text-align: right; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
table.days { break-inside: avoid; } table.days td { border: 1px solid #d0d7de; text-align: left; width: 16.6%; vertical-align: top; } table.days td.some { background: #ddf4ff; }
svg { width: 100%; height: auto; } svg rect { fill: #0969da; } svg text { font-size: 11px; fill: #57606a; } svg .axis { stroke: #8c959f; }
figure { margin: 1rem 0; break-inside: avoid; } figcaption { font-size: .9rem; }
@page { size: A4; margin: 16mm; } @media print { body { margin: 0; max-width: none; } }
";

/// Days in a row of the calendar.
const ROW: usize = 6;

/// The audit as a page.
pub fn html(audit: &Audit) -> String {
    let facts = &audit.facts;
    let title = escaped(&title(audit));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p><strong>{}.</strong></p>\n",
        escaped(&counts(audit))
    );
    let sentences = [Some(monitor(facts)), pace(facts), Some(effort(facts))];
    for sentence in sentences.into_iter().flatten() {
        // Writing to a String can't fail.
        let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escaped(&sentence));
    }
    out.push_str("<h2>Findings</h2>\n");
    if audit.findings.is_empty() {
        let _ = writeln!(out, "<p>{}.</p>", nothing_found(facts));
    }
    for finding in &audit.findings {
        article(&mut out, finding);
    }
    unfinished(&mut out, facts);
    if ruled(facts).next().is_some() {
        table(&mut out, facts);
        calendar(&mut out, facts);
        charts(&mut out, facts);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn article(out: &mut String, finding: &Finding) {
    let (severity, code) = (finding.severity.word(), finding.id.code());
    let place = place(finding);
    let at = if place.is_empty() { String::new() } else { format!(" · {}", escaped(&place)) };
    let _ = writeln!(
        out,
        "<article class=\"{severity}\">\n<h3><span class=\"word\">{severity}</span> {code}{at}</h3>\n<p>{}</p>",
        escaped(&finding.sentence)
    );
    let examples = finding.examples.iter().map(|one| format!("Example: {}", example(one)));
    let lines = finding.evidence.iter().cloned().chain(sample(finding)).chain(examples);
    let lines: Vec<String> = lines.map(|line| format!("<li>{}</li>", escaped(&line))).collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "<ul>{}</ul>", lines.concat());
    }
    let _ = writeln!(out, "<p>{}</p>", escaped(&finding.mend.sentence));
    if let Some(command) = &finding.mend.command {
        let lines: Vec<String> = command.lines().map(escaped).collect();
        let _ = writeln!(out, "<pre>{}</pre>", lines.join("\n"));
    }
    let _ = writeln!(out, "<p class=\"quiet\">{}</p>\n</article>", escaped(&learn(finding)));
}

fn unfinished(out: &mut String, facts: &Facts) {
    let lines = not_finished(facts);
    let lines: Vec<String> =
        lines.iter().map(|line| format!("<li>{}</li>", escaped(line))).collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "<h2>Not finished</h2>\n<ul>{}</ul>", lines.concat());
    }
}

fn name(collection: &CollectionFacts) -> String {
    escaped(&collection.namespace.to_string())
}

fn table(out: &mut String, facts: &Facts) {
    let heading: Vec<String> = AHEAD.iter().map(|column| format!("<th>{column}</th>")).collect();
    let _ = writeln!(
        out,
        "<h2>Documents that expire</h2>\n<table><tr><th>collection</th>{}</tr>",
        heading.concat()
    );
    let (rows, more) = super::table(facts);
    for (name, cells) in rows {
        let cells = cells.map(|cell| format!("<td>{cell}</td>")).concat();
        let _ = writeln!(out, "<tr><td>{}</td>{cells}</tr>", escaped(&name));
    }
    out.push_str("</table>\n");
    if let Some(more) = further(more) {
        let _ = writeln!(out, "<p class=\"quiet\">{more}</p>");
    }
}

/// The documents that expire on each of the next days, over all collections.
fn calendar(out: &mut String, facts: &Facts) {
    let all: Vec<_> =
        ruled(facts).filter_map(|found| Some((found, found.ahead.as_ref()?))).collect();
    let is_exact = all.iter().all(|(_, ahead)| ahead.days.is_exact);
    let about = if is_exact { "" } else { "about " };
    out.push_str("<h2>The next 30 days</h2>\n<table class=\"days\">\n");
    let mut from_ms = facts.now_ms;
    for at in 0..DAYS {
        let of = |days: &[u64]| days.get(at).copied().unwrap_or(0);
        let documents =
            all.iter().map(|(_, ahead)| of(&ahead.days.counts)).fold(0, u64::saturating_add);
        let bytes = all.iter().filter_map(|(found, ahead)| found.bytes(of(&ahead.days.counts)));
        let bytes = bytes.fold(0, u64::saturating_add);
        if at % ROW == 0 {
            out.push_str("<tr>");
        }
        let _ = match documents {
            0 => write!(out, "<td>{}</td>", svg::day(from_ms)),
            _ => write!(
                out,
                "<td class=\"some\">{}<br><strong>{about}{}</strong><br>about {}</td>",
                svg::day(from_ms),
                number::count(documents),
                number::bytes(bytes)
            ),
        };
        if at % ROW == ROW - 1 {
            out.push_str("</tr>\n");
        }
        from_ms = from_ms.saturating_add(svg::DAY_MS);
    }
    out.push_str("</table>\n<p class=\"quiet\">Documents and bytes, in days of 24 hours that begin when the audit did.</p>\n");
}

/// A chart for each rule of the collections that are shown.
fn charts(out: &mut String, facts: &Facts) {
    let all = largest(facts);
    let shown = all.iter().take(SHOWN_MAX);
    let rules = shown.flat_map(|found| found.rules.iter().map(move |rule| (found, rule)));
    for (found, rule) in rules {
        let chart = rule.days.as_ref().map(|days| svg::days(days, facts.now_ms));
        if let Some(chart) = chart.filter(|chart| !chart.is_empty()) {
            let _ = writeln!(
                out,
                "<figure><figcaption>{}: {}</figcaption>\n{chart}</figure>",
                name(found),
                escaped(&rule.name)
            );
        }
    }
    if let Some(more) = further(all.len().saturating_sub(SHOWN_MAX) as u64) {
        let _ = writeln!(out, "<p class=\"quiet\">{more}</p>");
    }
}

/// A text in which nothing is markup, and nothing can't be seen.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in with_marks(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
