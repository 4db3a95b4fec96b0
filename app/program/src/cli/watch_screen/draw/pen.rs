//! Writes text into cells so that data can neither command the terminal nor move a column.

use ratatui::{buffer::Buffer, layout::Rect, style::Style, text::Span};

use crate::cli::watch_screen::label::safe;

/// Writes in one line of an area, from left to right.
pub(super) struct Pen<'b> {
    buffer: &'b mut Buffer,
    x: u16,
    y: u16,
    end: u16,
}

impl<'b> Pen<'b> {
    /// Begins at the left of a line of `area`.
    pub(super) fn new(buffer: &'b mut Buffer, area: Rect, line: u16) -> Self {
        // A line below the area has no room, and nothing outside of the screen.
        let area = area.intersection(buffer.area);
        let is_inside = line < area.height;
        let end = if is_inside { area.right() } else { area.x };
        Self { buffer, x: area.x, y: area.y.saturating_add(line), end }
    }

    /// The cells that are left.
    pub(super) fn room(&self) -> u16 {
        self.end.saturating_sub(self.x)
    }

    /// Writes as much of a text as there is room for.
    pub(super) fn write(&mut self, text: &str, style: Style) -> &mut Self {
        let written = self.put(text, self.room(), style);
        self.x = written;
        self
    }

    /// Writes a text in a column of this width, and leaves its last cell empty.
    pub(super) fn column(&mut self, text: &str, width: u16, style: Style) -> &mut Self {
        let width = width.min(self.room());
        self.put(text, width.saturating_sub(1), style);
        self.x += width;
        self
    }

    /// As [`column`](Self::column), with the text at the right.
    pub(super) fn right(&mut self, text: &str, width: u16, style: Style) -> &mut Self {
        let width = width.min(self.room());
        let used = cells(&safe(text)).min(width.saturating_sub(1));
        let (x, gap) = (self.x, width.saturating_sub(1) - used);
        self.x += gap;
        self.put(text, used, style);
        self.x = x + width;
        self
    }

    /// Fills the rest of the line.
    pub(super) fn fill(&mut self, symbol: &str, style: Style) {
        let text = symbol.repeat(usize::from(self.room()));
        self.put(&text, self.room(), style);
        self.x = self.end;
    }

    /// Moves to the right.
    pub(super) fn skip(&mut self, cells: u16) -> &mut Self {
        self.x = self.x.saturating_add(cells).min(self.end);
        self
    }

    /// Writes within `width` cells; a text that is longer ends with `…`. Returns where it ends.
    fn put(&mut self, text: &str, width: u16, style: Style) -> u16 {
        if width == 0 {
            return self.x;
        }
        let text = safe(text);
        let (x, y) = (self.x, self.y);
        if cells(&text) <= width {
            return self.buffer.set_stringn(x, y, &text, usize::from(width), style).0;
        }
        let (end, _) = self.buffer.set_stringn(x, y, &text, usize::from(width - 1), style);
        self.buffer.set_stringn(end, y, "…", 1, style).0
    }
}

/// The cells that a text needs.
pub(super) fn cells(text: &str) -> u16 {
    u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX)
}

/// Writes the title of a part of the screen, with a line after it.
pub(super) fn title(buffer: &mut Buffer, area: Rect, parts: &[(&str, Style)], dim: Style) {
    let mut pen = Pen::new(buffer, area, 0);
    pen.write("── ", dim);
    for (text, style) in parts {
        pen.write(text, *style);
    }
    pen.write(" ", dim).fill("─", dim);
}
