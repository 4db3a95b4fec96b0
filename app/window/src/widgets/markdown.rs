//! Markdown: paragraphs, lists, tables, emphasis, code and links. No images and no HTML. It is as large
//! as the body text of the `Ui`.

use std::ops::Range;
use std::sync::Arc;

use egui::epaint::text::CharIndex;
use egui::text::LayoutJob;
use egui::{
    Color32, FontId, Frame, Galley, Grid, Label, Margin, Rect, RichText, Role, ScrollArea, Sense,
    TextFormat, TextStyle, Ui, WidgetInfo,
};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{code_box, paint};
use crate::theme::{colors, sizes, text};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clicked {
    Link(String),
    /// The button that copies a block of code.
    Copy(String),
}

/// Draws a text. Returns what was clicked.
pub fn ui(ui: &mut Ui, markdown: &str) -> Option<Clicked> {
    let mut clicked = None;
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        for block in blocks(markdown) {
            clicked = block_ui(ui, &block).or(clicked.take());
        }
    });
    clicked
}

/// Draws one line or a few with emphasis and code, such as a question or a choice.
pub fn line_ui(ui: &mut Ui, markdown: &str, ink: Color32) -> egui::Response {
    let job = line_job(ui, markdown, ink, ui.available_width());
    ui.add(Label::new(job).wrap())
}

/// Lays such a line out.
pub fn line_job(ui: &Ui, markdown: &str, ink: Color32, width: f32) -> LayoutJob {
    let spans: Vec<Span> = blocks(markdown).into_iter().flat_map(Block::into_spans).collect();
    let mut job = job(ui, &spans, ink);
    job.wrap.max_width = width.max(1.0);
    job
}

/// The words of a text, without its signs.
pub fn plain(markdown: &str) -> String {
    let spans = blocks(markdown).into_iter().flat_map(Block::into_spans);
    spans.map(|span| span.text).collect()
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Span {
    text: String,
    is_strong: bool,
    is_emphasis: bool,
    is_code: bool,
    link: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Block {
    Paragraph(Vec<Span>),
    Item { depth: usize, mark: String, spans: Vec<Span> },
    Quote(Vec<Span>),
    Code(String),
    Table(Vec<Vec<Vec<Span>>>),
    Rule,
}

impl Block {
    fn into_spans(self) -> Vec<Span> {
        match self {
            Self::Paragraph(spans) | Self::Item { spans, .. } | Self::Quote(spans) => spans,
            Self::Code(text) => vec![Span { text, is_code: true, ..Span::default() }],
            Self::Table(rows) => rows.into_iter().flatten().flatten().collect(),
            Self::Rule => Vec::new(),
        }
    }
}

/// Reads a text.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    spans: Vec<Span>,
    style: Span,
    /// The numbers of the open lists. `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The mark of an item whose first text has not come.
    mark: Option<String>,
    quotes: usize,
    code: Option<String>,
    rows: Vec<Vec<Vec<Span>>>,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.take(event);
    }
    reader.flush();
    reader.blocks
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => match &mut self.code {
                Some(code) => code.push_str(&words),
                None => self.push(&words, false),
            },
            Event::Code(code) => self.push(&code, true),
            Event::SoftBreak => self.push(" ", false),
            Event::HardBreak => self.push("\n", false),
            Event::Rule => {
                self.flush();
                self.blocks.push(Block::Rule);
            }
            Event::Html(html) | Event::InlineHtml(html) => self.push(&html, false),
            _ => {}
        }
    }

    fn push(&mut self, words: &str, is_code: bool) {
        self.spans.push(Span { text: words.to_owned(), is_code, ..self.style.clone() });
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::Heading { .. } => self.flush(),
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                let number = self.lists.last_mut().and_then(Option::as_mut);
                self.mark = Some(number.map_or_else(
                    || "•".to_owned(),
                    |number| {
                        *number += 1;
                        format!("{}.", *number - 1)
                    },
                ));
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes += 1;
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.flush();
                self.code = Some(String::new());
            }
            Tag::Strong => self.style.is_strong = true,
            Tag::Emphasis => self.style.is_emphasis = true,
            Tag::Link { dest_url, .. } => self.style.link = Some(dest_url.into_string()),
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
        if self.rows.len() == 1 {
            self.style.is_strong = true;
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item => self.flush(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.blocks.push(Block::Code(code.trim_end().to_owned()));
            }
            TagEnd::Strong | TagEnd::TableHead => self.style.is_strong = false,
            TagEnd::Emphasis => self.style.is_emphasis = false,
            TagEnd::Link => self.style.link = None,
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.rows);
                self.blocks.push(Block::Table(rows));
            }
            _ => {}
        }
    }

    fn flush(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if spans.is_empty() {
            return;
        }
        let depth = self.lists.len();
        self.blocks.push(if depth > 0 {
            Block::Item { depth, mark: self.mark.take().unwrap_or_default(), spans }
        } else if self.quotes > 0 {
            Block::Quote(spans)
        } else {
            Block::Paragraph(spans)
        });
    }
}

fn block_ui(ui: &mut Ui, block: &Block) -> Option<Clicked> {
    let ink = colors(ui);
    match block {
        Block::Paragraph(spans) => spans_ui(ui, spans, ink.text),
        Block::Item { depth, mark, spans } => {
            let mut clicked = None;
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
                #[expect(clippy::cast_precision_loss, reason = "a few levels")]
                ui.add_space((*depth - 1) as f32 * sizes::GAP_LARGE);
                ui.label(RichText::new(mark.as_str()).color(ink.dim));
                ui.vertical(|ui| clicked = spans_ui(ui, spans, ink.text));
            });
            clicked
        }
        Block::Quote(spans) => {
            let margin = Margin { left: 12, ..Margin::ZERO };
            let quote = Frame::new().inner_margin(margin).show(ui, |ui| {
                ui.set_min_width(ui.available_width());
                spans_ui(ui, spans, ink.dim)
            });
            let bar = quote.response.rect;
            let bar = bar.with_max_x(bar.left() + sizes::LINE_SELECTED);
            ui.painter().rect_filled(bar, 1.5, ink.hairline);
            quote.inner
        }
        Block::Code(code) => code_box::ui(ui, "Code", code).then(|| Clicked::Copy(code.clone())),
        Block::Table(rows) => table_ui(ui, rows),
        Block::Rule => {
            ui.separator();
            None
        }
    }
}

fn table_ui(ui: &mut Ui, rows: &[Vec<Vec<Span>>]) -> Option<Clicked> {
    let mut clicked = None;
    let mut widths = vec![0.0_f32; rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            let mut job = job(ui, cell, colors(ui).text);
            job.wrap.max_width = f32::INFINITY;
            let words = ui.fonts_mut(|fonts| fonts.layout_job(job));
            *width = width.max(words.size().x.ceil());
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few columns")]
    let room = ui.available_width() - sizes::GAP * widths.len().saturating_sub(1) as f32;
    narrow(&mut widths, room);
    let id = ui.next_auto_id();
    ui.skip_ahead_auto_ids(1);
    // Rows are as high as their words.
    ui.spacing_mut().interact_size.y = 0.0;
    // A table of many columns is moved; it must not widen what it is in.
    ScrollArea::horizontal().id_salt(id).show(ui, |ui| {
        let grid = Grid::new(id).spacing([sizes::GAP, sizes::GAP_TINY]);
        grid.show(ui, |ui| {
            for row in rows {
                for (cell, width) in row.iter().zip(&widths) {
                    clicked = cell_ui(ui, cell, *width).or(clicked.take());
                }
                ui.end_row();
            }
        });
    });
    clicked
}

/// The narrowest column of a table whose words are wrapped.
const COLUMN_MIN: f32 = 64.0;

/// Narrows the widest columns, to one width, until all are in the room.
fn narrow(widths: &mut [f32], room: f32) {
    let mut sorted = widths.to_vec();
    sorted.sort_by(f32::total_cmp);
    let mut left = room;
    for (at, width) in sorted.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few columns")]
        let share = left / (sorted.len() - at) as f32;
        if *width > share {
            let most = share.floor().max(COLUMN_MIN);
            for width in widths {
                *width = width.min(most);
            }
            return;
        }
        left -= width;
    }
}

fn cell_ui(ui: &mut Ui, cell: &[Span], width: f32) -> Option<Clicked> {
    let cell_ui = |ui: &mut Ui| {
        ui.set_max_width(width);
        spans_ui(ui, cell, colors(ui).text)
    };
    ui.vertical(cell_ui).inner
}

/// Draws words. Each link is a control over its words.
fn spans_ui(ui: &mut Ui, spans: &[Span], ink: Color32) -> Option<Clicked> {
    let mut job = job(ui, spans, ink);
    job.wrap.max_width = ui.available_width();
    let words = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let place = ui.add(Label::new(Arc::clone(&words)).selectable(true)).rect.min.to_vec2();
    let (mut clicked, mut start) = (None, 0);
    for span in spans {
        let end = start + span.text.chars().count();
        if let Some(link) = &span.link {
            let rects = rects(&words, start..end).map(|rect| rect.translate(place));
            if link_ui(ui, &span.text, &rects.collect::<Vec<_>>()) {
                clicked = Some(Clicked::Link(link.clone()));
            }
        }
        start = end;
    }
    clicked
}

/// The places of some letters, one for each line that they are on.
fn rects(words: &Galley, letters: Range<usize>) -> impl Iterator<Item = Rect> {
    let mut start = 0;
    words.rows.iter().filter_map(move |row| {
        let first = start;
        start += row.char_count_including_newline().0;
        let from = letters.start.max(first);
        let to = letters.end.min(first + row.char_count_excluding_newline().0);
        let x = |at: usize| row.pos.x + row.x_offset(CharIndex(at - first));
        (from < to).then(|| Rect::from_x_y_ranges(x(from)..=x(to), row.rect().y_range()))
    })
}

/// A link on one or several lines, of which the first has the focus and the name.
fn link_ui(ui: &mut Ui, name: &str, rects: &[Rect]) -> bool {
    let mut is_clicked = false;
    let mut has_focus = false;
    for (part, rect) in rects.iter().enumerate() {
        let id = ui.next_auto_id();
        ui.skip_ahead_auto_ids(1);
        let sense = if part == 0 { Sense::click() } else { Sense::CLICK };
        let link = ui.interact(*rect, id, sense);
        if part == 0 {
            link.widget_info(|| WidgetInfo::labeled(Role::Link, true, name));
            has_focus = link.has_focus();
        }
        let line = egui::Stroke::new(sizes::LINE, colors(ui).accent);
        ui.painter().hline(rect.x_range(), rect.bottom() - sizes::LINE, line);
        if has_focus {
            paint::focus_ring(ui, *rect, 3.0);
        }
        is_clicked |= link.on_hover_cursor(egui::CursorIcon::PointingHand).clicked();
    }
    is_clicked
}

fn job(ui: &Ui, spans: &[Span], ink: Color32) -> LayoutJob {
    let colors = colors(ui);
    let scale = TextStyle::Body.resolve(ui.style()).size / text::BODY;
    let mut job = LayoutJob::default();
    for span in spans {
        let font = match (span.is_code, span.is_strong) {
            (true, _) => text::mono(),
            (false, true) => text::strong(),
            (false, false) => text::body(),
        };
        let font = FontId { size: font.size * scale, ..font };
        let mut format = TextFormat::simple(font, ink);
        format.italics = span.is_emphasis && !span.is_code;
        format.valign = egui::Align::Center;
        if span.is_code {
            format.background = colors.background;
        }
        if span.link.is_some() {
            format.color = colors.accent;
        }
        job.append(&span.text, 0.0, format);
    }
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> Span {
        Span { text: text.to_owned(), ..Span::default() }
    }

    #[test]
    fn the_widest_columns_give_way() {
        let check = |widths: &[f32], room, expected: &[f32]| {
            let mut widths = widths.to_vec();
            narrow(&mut widths, room);
            assert_eq!(widths, expected);
        };
        check(&[150.0, 300.0], 500.0, &[150.0, 300.0]);
        check(&[150.0, 300.0], 400.0, &[150.0, 250.0]);
        check(&[250.0, 300.0, 40.0], 400.0, &[180.0, 180.0, 40.0]);
        check(&[250.0, 300.0], 10.0, &[64.0, 64.0]);
        check(&[], 10.0, &[]);
    }

    #[test]
    fn blocks_are_told_apart() {
        let code = Span { is_code: true, ..span("db") };
        let link = Span { link: Some("mayfly:removed".to_owned()), ..span("Removed") };
        let check = |markdown: &str, expected: Vec<Block>| assert_eq!(blocks(markdown), expected);
        check("a `db`\nb", vec![Block::Paragraph(vec![span("a "), code, span(" "), span("b")])]);
        check("[Removed](mayfly:removed)", vec![Block::Paragraph(vec![link])]);
        let item = |mark: &str, word| Block::Item {
            depth: 1,
            mark: mark.to_owned(),
            spans: vec![span(word)],
        };
        check("- a\n- b", vec![item("•", "a"), item("•", "b")]);
        check("1. a\n2. b", vec![item("1.", "a"), item("2.", "b")]);
        check("```js\nx\n```", vec![Block::Code("x".to_owned())]);
        check("> q", vec![Block::Quote(vec![span("q")])]);
        let head = Span { is_strong: true, ..span("h") };
        let table = vec![vec![vec![head]], vec![vec![span("c")]]];
        check("| h |\n|---|\n| c |", vec![Block::Table(table)]);
        assert_eq!(plain("a **b** `c`"), "a b c");
    }
}
