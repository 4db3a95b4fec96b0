//! Markdown as HTML for paper: nothing in it can be clicked or folded.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::lessons::file::MARKDOWN;

/// A text with the signs of HTML replaced.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A script as a block of code.
pub(super) fn code(script: &str) -> String {
    format!("<pre><code>{}</code></pre>\n", escape(script.trim_end()))
}

/// Markdown as blocks. A link keeps its words, and one to the web its address.
pub(super) fn blocks(markdown: &str) -> String {
    let mut out = String::new();
    let mut links: Vec<String> = Vec::new();
    let mut in_head = false;
    for event in Parser::new_ext(markdown, MARKDOWN) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.into_string()),
            Event::End(TagEnd::Link) => {
                let address = links.pop().filter(|address| address.starts_with("https://"));
                if let Some(address) = address {
                    out.extend([" (", &escape(&address), ")"]);
                }
            }
            Event::Start(Tag::TableHead) => {
                in_head = true;
                out.push_str("<tr>");
            }
            Event::End(TagEnd::TableHead) => {
                in_head = false;
                out.push_str("</tr>\n");
            }
            Event::Start(tag) => out.push_str(opening(&tag, in_head)),
            Event::End(tag) => out.push_str(closing(tag, in_head)),
            Event::Text(text) => out.push_str(&escape(&text)),
            Event::Code(text) => out.extend(["<code>", &escape(&text), "</code>"]),
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br>\n"),
            Event::Rule => out.push_str("<hr>\n"),
            // The reader of lessons refuses HTML.
            Event::Html(html) | Event::InlineHtml(html) => out.push_str(&escape(&html)),
            _ => {}
        }
    }
    out
}

/// The same without the paragraph around it.
pub(super) fn line(markdown: &str) -> String {
    let html = blocks(markdown);
    let html = html.trim();
    let inner = html.strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    inner.filter(|inner| !inner.contains("<p>")).unwrap_or(html).to_owned()
}

fn opening(tag: &Tag<'_>, in_head: bool) -> &'static str {
    match tag {
        Tag::Paragraph => "<p>",
        Tag::List(Some(_)) => "<ol>\n",
        Tag::List(None) => "<ul>\n",
        Tag::Item => "<li>",
        Tag::Emphasis => "<em>",
        Tag::Strong => "<strong>",
        Tag::BlockQuote(_) => "<blockquote>",
        Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => "<pre><code>",
        Tag::Table(_) => "<table>\n",
        Tag::TableRow => "<tr>",
        Tag::TableCell if in_head => "<th>",
        Tag::TableCell => "<td>",
        Tag::Heading { .. } => "<h4>",
        _ => "",
    }
}

fn closing(tag: TagEnd, in_head: bool) -> &'static str {
    match tag {
        TagEnd::Paragraph => "</p>\n",
        TagEnd::List(true) => "</ol>\n",
        TagEnd::List(false) => "</ul>\n",
        TagEnd::Item => "</li>\n",
        TagEnd::Emphasis => "</em>",
        TagEnd::Strong => "</strong>",
        TagEnd::BlockQuote(_) => "</blockquote>\n",
        TagEnd::CodeBlock => "</code></pre>\n",
        TagEnd::Table => "</table>\n",
        TagEnd::TableRow => "</tr>\n",
        TagEnd::TableCell if in_head => "</th>",
        TagEnd::TableCell => "</td>",
        TagEnd::Heading(_) => "</h4>\n",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html_without_links() {
        let check = |markdown: &str, expected: &str| {
            assert_eq!(blocks(markdown), expected, "{markdown}");
        };
        check(
            "a *b* **c** `<d>`",
            "<p>a <em>b</em> <strong>c</strong> <code>&lt;d&gt;</code></p>\n",
        );
        check("[The view](mayfly:removed) & more", "<p>The view &amp; more</p>\n");
        check("[Page](https://a.b)", "<p>Page (https://a.b)</p>\n");
        check("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n");
        check(
            "| a | b |\n|---|---|\n| 1 | `2` |",
            "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td><code>2</code></td></tr>\n</table>\n",
        );
        check("```\n<x>\n```", "<pre><code>&lt;x&gt;\n</code></pre>\n");
        assert_eq!(line("When is `a` gone?"), "When is <code>a</code> gone?");
        assert_eq!(code("a < b\n"), "<pre><code>a &lt; b</code></pre>\n");
    }
}
