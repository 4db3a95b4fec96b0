//! A document as a tree, with values as mongosh writes them: `ObjectId('…')`, `ISODate('…')`,
//! `Long('…')`. Int32 and double are plain.

use bson::{Bson, Document};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Color32, Id, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo};
use mayfly_engine::value::Layout as Lines;
use mayfly_engine::value::shell::write_value;
use mayfly_engine::value::{count, counted};

use super::hint::Hint as _;
use super::value_text::{self, Kind, with_marks};
use super::{Button, cell, menu, paint};
use crate::theme::{Colors, Icon, colors, sizes, text};

/// Characters of a value that are shown on one line.
pub const VALUE_CHARS_MAX: usize = 400;

/// Characters of a field's name that are shown on a line that is too short for it and its value.
const NAME_CHARS_MIN: usize = 12;

/// Children of one array or document that are shown before a button asks for more.
const CHILDREN_MAX: usize = 100;

/// Fields or items of an array or document that its line shows.
const PREVIEW_ITEMS_MAX: usize = 8;

/// Levels of an array or document that its line shows.
const PREVIEW_DEPTH_MAX: usize = 3;

/// How far a level is moved to the right, in points.
const INDENT: f32 = 16.0;

/// How much of the width levels take at most.
const INDENT_SHARE: f32 = 0.45;

/// An edit in a tree.
#[derive(Debug, Clone, Copy)]
pub struct Editing<'a> {
    /// The place of the value: the position of the field at each level.
    pub path: &'a [usize],
    /// Whether it is a field to be added at the end of what is at the place.
    pub is_new: bool,
}

pub struct TreeEdit<'a> {
    pub editing: Option<Editing<'a>>,
    /// Whether another value can be chosen.
    pub editable: bool,
    pub editor: &'a mut dyn FnMut(&mut Ui),
    /// Draws the menu of the value at a place.
    pub menu: &'a mut dyn FnMut(&mut Ui, &[usize]),
    /// The tooltip of a value, if it has one.
    pub hint: &'a dyn Fn(&Bson) -> Option<String>,
}

pub fn document_ui(ui: &mut Ui, document: &Document) {
    let (mut editor, mut menu) = (|_: &mut Ui| {}, |_: &mut Ui, _: &[usize]| {});
    let (editor, menu) = (&mut editor, &mut menu);
    draw(
        ui,
        document,
        TreeEdit { editing: None, editable: false, editor, menu, hint: &|_| None },
        false,
    );
}

/// Draws a document as a tree in which one value may be under edit, with a menu for each. Returns
/// the place of a value that is to be edited.
pub fn tree_ui(ui: &mut Ui, document: &Document, edit: TreeEdit<'_>) -> Option<Vec<usize>> {
    draw(ui, document, edit, true)
}

fn draw(
    ui: &mut Ui,
    document: &Document,
    edit: TreeEdit<'_>,
    has_menu: bool,
) -> Option<Vec<usize>> {
    let opens = document.iter().any(|(_, value)| is_branch(value));
    let margin = if opens { INDENT } else { 0.0 };
    let mut tree = Tree { edit, has_menu, margin, pressed: None, path: Vec::new() };
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        let fields = document.iter().map(|(name, value)| (name.as_str(), value));
        tree.children(ui, fields, document.len(), "");
    });
    tree.pressed
}

struct Tree<'a> {
    edit: TreeEdit<'a>,
    has_menu: bool,
    /// The room for what opens a row, if there is one.
    margin: f32,
    pressed: Option<Vec<usize>>,
    path: Vec<usize>,
}

impl Tree<'_> {
    fn children<'v>(
        &mut self,
        ui: &mut Ui,
        children: impl Iterator<Item = (&'v str, &'v Bson)>,
        children_count: usize,
        parent: &str,
    ) {
        let id = ui.scope_id().with(("shown", &self.path));
        let shown = ui.data(|data| data.get_temp::<usize>(id)).unwrap_or(CHILDREN_MAX);
        for (at, (name, value)) in children.take(shown).enumerate() {
            self.path.push(at);
            self.child(ui, name, value, &join(parent, name));
            self.path.pop();
        }
        if children_count > shown {
            let label = format!("Show more ({} left)", count((children_count - shown) as u64));
            let button = Button::ghost(&label).small();
            if ui.add(button).clicked() {
                ui.data_mut(|data| data.insert_temp(id, shown.saturating_mul(4)));
            }
        }
        if self.adds_here() {
            self.editor_ui(ui, self.indent(ui) + self.margin);
        }
    }

    /// Whether a field is being added to what is at this place.
    fn adds_here(&self) -> bool {
        self.edit.editing.is_some_and(|editing| editing.is_new && editing.path == self.path)
    }

    fn editor_ui(&mut self, ui: &mut Ui, indent: f32) {
        ui.horizontal(|ui| {
            ui.add_space(indent);
            ui.vertical(|ui| (self.edit.editor)(ui));
        });
    }

    fn child(&mut self, ui: &mut Ui, name: &str, value: &Bson, full: &str) {
        if self.edit.editing.is_some_and(|editing| !editing.is_new && editing.path == self.path) {
            self.editor_ui(ui, self.indent(ui));
            return;
        }
        match value {
            Bson::Document(inner) if !inner.is_empty() => {
                if self.branch(ui, name, value, full) {
                    let fields = inner.iter().map(|(name, value)| (name.as_str(), value));
                    self.children(ui, fields, inner.len(), full);
                }
            }
            Bson::Array(inner) if !inner.is_empty() => {
                if self.branch(ui, name, value, full) {
                    let names: Vec<String> =
                        (0..inner.len().min(100_000)).map(|at| at.to_string()).collect();
                    let items = names.iter().map(String::as_str).zip(inner);
                    self.children(ui, items, inner.len(), full);
                }
            }
            _ => {
                let response = self.row(ui, name, value, full, None);
                // Only where the pointer rests is it written.
                if response.hovered()
                    && let Some(words) = (self.edit.hint)(value)
                {
                    response.clone().hint(words);
                }
                let fixed = self.path.len() == 1 && name == "_id";
                let pencil = self.edit.editable && !fixed && pencil_ui(ui, &response, full);
                if response.double_clicked() || pencil {
                    self.pressed = Some(self.path.clone());
                }
                if self.adds_here() {
                    self.editor_ui(ui, self.indent(ui) + self.margin + INDENT);
                }
            }
        }
    }

    /// A row that opens and closes. Returns whether it is open.
    fn branch(&mut self, ui: &mut Ui, name: &str, value: &Bson, full: &str) -> bool {
        let id = Id::unique(("tree", ui.scope_id(), &self.path));
        let open = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(false);
        // An edit inside must be visible, so the row is open.
        let inside = self.edit.editing.is_some_and(|editing| {
            editing.path.starts_with(&self.path)
                && (editing.is_new || editing.path.len() > self.path.len())
        });
        let open = open || inside;
        let response = self.row(ui, name, value, full, Some(open));
        if response.clicked() {
            ui.data_mut(|data| data.insert_temp(id, !open));
        }
        open
    }

    /// How far the row is moved to the right.
    #[expect(clippy::cast_precision_loss, reason = "at most 100 levels")]
    fn indent(&self, ui: &Ui) -> f32 {
        let whole = INDENT * (self.path.len().saturating_sub(1)) as f32;
        // Deep down the row moves no further, or nothing of it would be seen.
        whole.min(ui.available_width() * INDENT_SHARE)
    }

    fn row(
        &mut self,
        ui: &mut Ui,
        name: &str,
        value: &Bson,
        full: &str,
        open: Option<bool>,
    ) -> Response {
        let colors = colors(ui);
        let left = self.indent(ui) + self.margin;
        let mut job = field_job(name, value, colors);
        value_text::wrap(ui, &mut job, (ui.available_width() - left).max(60.0));
        let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
        let size =
            Vec2::new(ui.available_width(), galley.size().y.max(sizes::CONTROL_SMALL - 2.0) + 2.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        response.widget_info(|| {
            let kind = if open.is_some() { Role::DisclosureTriangle } else { Role::Label };
            let text = format!("{}: {}", with_marks(full), spoken(value));
            WidgetInfo::labeled(kind, ui.is_enabled(), text)
        });
        if ui.is_rect_visible(rect) {
            if response.hovered() || response.has_focus() {
                ui.painter().rect_filled(rect, 4.0, colors.raised_hover);
            }
            if let Some(open) = open {
                let icon = if open { Icon::Unfolded } else { Icon::Expand };
                let center = rect.left_top() + Vec2::new(left - 9.0, 0.5 * sizes::CONTROL_SMALL);
                paint::icon_at(ui.painter(), center, icon, text::ICON - 2.0, colors.dim);
            }
            // One line is in the middle of its row.
            let top = (0.5 * (sizes::CONTROL_SMALL - galley.size().y)).max(1.0);
            let at = rect.left_top() + Vec2::new(left, top);
            ui.painter().galley(at, galley, colors.text);
        }
        if self.has_menu {
            menu::context(&response, |ui| (self.edit.menu)(ui, &self.path));
        }
        response
    }
}

/// The pencil at the right of a value under the pointer. Returns whether it was pressed.
fn pencil_ui(ui: &mut Ui, row: &Response, full: &str) -> bool {
    let center =
        row.rect.right_top() + Vec2::splat(0.5 * sizes::CONTROL_SMALL) * Vec2::new(-1.0, 1.0);
    let place = Rect::from_center_size(center, Vec2::splat(sizes::CONTROL_SMALL));
    let response = ui.interact(place, row.id.with("edit"), Sense::click());
    let name = format!("Edit {}", with_marks(full));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &name));
    if row.contains_pointer() || response.hovered() || response.has_focus() {
        let colors = colors(ui);
        let hot = response.hovered() || response.has_focus();
        if hot {
            ui.painter().rect_filled(place, sizes::GAP_TINY, colors.well);
        }
        let ink = if hot { colors.text } else { colors.dim };
        paint::icon_at(ui.painter(), center, Icon::Edit, text::ICON - 3.0, ink);
    }
    response.clicked()
}

/// Whether a value is drawn as a row that opens.
fn is_branch(value: &Bson) -> bool {
    match value {
        Bson::Document(inner) => !inner.is_empty(),
        Bson::Array(inner) => !inner.is_empty(),
        _ => false,
    }
}

fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

/// A field as `name: value` in colors.
pub fn field_job(name: &str, value: &Bson, colors: &Colors) -> LayoutJob {
    let mut job = LayoutJob::default();
    let font = text::mono();
    value_text::append(&mut job, &cut(name, 120), &font, colors.dim, colors);
    job.append(": ", 0.0, TextFormat::simple(font.clone(), colors.dim));
    append_value(&mut job, value, colors);
    job
}

/// A field as `name: value` in colors, on a line of this width in points. Parts that don't fit are
/// cut.
pub fn field_line_job(ui: &Ui, name: &str, value: &Bson, width: f32) -> LayoutJob {
    let (mut job, font, colors) = (LayoutJob::default(), text::mono(), colors(ui));
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0')).max(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some hundreds at most"
    )]
    let chars = (width / advance) as usize;
    let (name, content) = fitted(name, value, chars);
    value_text::append(&mut job, &name, &font, colors.dim, colors);
    job.append(": ", 0.0, TextFormat::simple(font.clone(), colors.dim));
    value_text::append(&mut job, &content, &font, value_ink(value, colors), colors);
    job
}

/// Name and value of a field for a line of `chars` characters. A date loses its type before it is
/// cut, and a name makes room for its value.
fn fitted(name: &str, value: &Bson, chars: usize) -> (String, String) {
    let count = |text: &str| text.chars().count();
    let room = chars.saturating_sub(2);
    let mut content = preview(value);
    let fits = |content: &str| count(name) + count(content) <= room;
    if matches!(value, Bson::DateTime(_)) && !fits(&content) {
        content = cell::words(value);
    }
    if fits(&content) {
        return (name.to_owned(), content);
    }
    if is_branch(value) {
        content = cut(&content, room.saturating_sub(count(name).min(NAME_CHARS_MIN * 2)));
    }
    let left = room.saturating_sub(count(&content) + 1);
    (cut(name, left.max(NAME_CHARS_MIN)), content)
}

/// Appends a value in its color, on one line.
pub fn append_value(job: &mut LayoutJob, value: &Bson, colors: &Colors) {
    value_text::append(job, &short(value), &text::mono(), value_ink(value, colors), colors);
}

fn value_ink(value: &Bson, colors: &Colors) -> Color32 {
    match value {
        Bson::Document(_) | Bson::Array(_) => colors.dim,
        other => Kind::of(other).ink(colors),
    }
}

/// A value on one line: arrays and documents by their size, long text cut with `…`.
pub fn short(value: &Bson) -> String {
    match value {
        Bson::Document(inner) if inner.is_empty() => "{}".to_owned(),
        Bson::Array(inner) if inner.is_empty() => "[]".to_owned(),
        Bson::Document(inner) => counted(inner.len() as u64, "field", "fields"),
        Bson::Array(inner) => counted(inner.len() as u64, "item", "items"),
        Bson::String(content) => {
            let end = content.char_indices().nth(VALUE_CHARS_MAX).map(|(at, _)| at);
            let shown = Bson::String(content[..end.unwrap_or(content.len())].to_owned());
            let more = if end.is_some() { "…" } else { "" };
            format!("{}{more}", write_value(&shown, Lines::OneLine))
        }
        // The literal `Double(…)` is for text that is read again; here the kind shows by `.0`.
        Bson::Double(number) if number.is_finite() => format!("{number:?}"),
        Bson::Binary(binary) if binary.bytes.len() > 64 => {
            format!("BinData({}, {} bytes)", u8::from(binary.subtype), binary.bytes.len())
        }
        other => cut(&write_value(other, Lines::OneLine), VALUE_CHARS_MAX),
    }
}

/// A value on one line with what is inside: `{ city: 'İzmir', … }`. Of a long array or document only
/// the beginning is read.
pub fn preview(value: &Bson) -> String {
    let (written, is_cut) = match value {
        Bson::Array(inner) if !inner.is_empty() => {
            let part = inner.iter().take(PREVIEW_ITEMS_MAX).map(|item| outline(item, 1)).collect();
            (write_value(&Bson::Array(part), Lines::OneLine), inner.len() > PREVIEW_ITEMS_MAX)
        }
        Bson::Document(inner) if !inner.is_empty() => {
            let part = inner.iter().take(PREVIEW_ITEMS_MAX);
            let part = part.map(|(name, item)| (name.clone(), outline(item, 1))).collect();
            (write_value(&Bson::Document(part), Lines::OneLine), inner.len() > PREVIEW_ITEMS_MAX)
        }
        other => return short(other),
    };
    let written = unquoted_deeper(&written);
    let (open, close) = match value {
        Bson::Array(_) => (" ]", ", … ]"),
        _ => (" }", ", … }"),
    };
    match written.strip_suffix(open) {
        Some(begun) if is_cut => cut(&format!("{begun}{close}"), VALUE_CHARS_MAX),
        _ => cut(&written, VALUE_CHARS_MAX),
    }
}

/// Replaces arrays and documents that are too deep for an outline.
const DEEPER_ARRAY: &str = "[ … ]";
const DEEPER_DOCUMENT: &str = "{ … }";

/// An outline as it was written, in which what is deeper does not look like text.
pub fn unquoted_deeper(written: &str) -> String {
    [DEEPER_ARRAY, DEEPER_DOCUMENT]
        .iter()
        .fold(written.to_owned(), |text, deeper| text.replace(&format!("'{deeper}'"), deeper))
}

/// A part of a value that is small whatever the value is; [`unquoted_deeper`] is for its text.
pub fn outline(value: &Bson, depth: usize) -> Bson {
    match value {
        Bson::Array(inner) if depth < PREVIEW_DEPTH_MAX => {
            let part = inner.iter().take(PREVIEW_ITEMS_MAX);
            Bson::Array(part.map(|item| outline(item, depth + 1)).collect())
        }
        Bson::Document(inner) if depth < PREVIEW_DEPTH_MAX => {
            let part = inner.iter().take(PREVIEW_ITEMS_MAX);
            let part = part.map(|(name, item)| (name.clone(), outline(item, depth + 1)));
            Bson::Document(part.collect())
        }
        Bson::Array(inner) if !inner.is_empty() => Bson::String(DEEPER_ARRAY.to_owned()),
        Bson::Document(inner) if !inner.is_empty() => Bson::String(DEEPER_DOCUMENT.to_owned()),
        Bson::String(content) => Bson::String(cut(content, 80)),
        Bson::Binary(binary) if binary.bytes.len() > 64 => Bson::String(short(value)),
        other => other.clone(),
    }
}

/// An `_id` on one line. It identifies the document, so one that is a document or an array shows
/// its contents and not its size.
pub fn id(value: &Bson) -> String {
    match value {
        Bson::Document(_) | Bson::Array(_) => {
            cut(&write_value(value, Lines::OneLine), VALUE_CHARS_MAX)
        }
        other => short(other),
    }
}

/// Appends an `_id` in its color, on one line.
pub fn append_id(job: &mut LayoutJob, value: &Bson, colors: &Colors) {
    value_text::append(job, &id(value), &text::mono(), Kind::of(value).ink(colors), colors);
}

/// A value as it is read aloud.
fn spoken(value: &Bson) -> String {
    with_marks(&cut(&short(value), 120))
}

/// `content`, cut with `…` after `chars_max` characters.
pub fn cut(content: &str, chars_max: usize) -> String {
    match content.char_indices().nth(chars_max) {
        None => content.to_owned(),
        Some((at, _)) => format!("{}…", &content[..at]),
    }
}

/// One line of a document's fields, painted into `rect` and cut where it ends.
pub fn line_in(ui: &Ui, rect: Rect, mut job: LayoutJob) {
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width().max(1.0));
    job.halign = Align::LEFT;
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let place = Align2::LEFT_CENTER.anchor_size(rect.left_center(), galley.size());
    ui.painter().galley(place.min, galley, colors(ui).text);
}

/// The height of one field's line.
pub const FIELD_LINE: f32 = sizes::ROW_DENSE - 2.0;

#[cfg(test)]
mod tests {
    use bson::{bson, oid::ObjectId};

    use super::*;

    #[test]
    fn values_on_one_line() {
        let check = |value: Bson, expected: &str| assert_eq!(short(&value), expected);
        check(bson!("a\"b"), "'a\"b'");
        check(bson!("it's\n"), "'it\\'s\\n'");
        check(bson!([1, 2, 3]), "3 items");
        check(bson!([]), "[]");
        check(bson!({"a": 1}), "1 field");
        check(Bson::Array(vec![Bson::Null; 1_991]), "1,991 items");
        check(Bson::Int64(5), "Long('5')");
        check(Bson::Int32(5), "5");
        check(Bson::Double(5.0), "5.0");
        check(
            Bson::ObjectId(ObjectId::from_bytes([0; 12])),
            "ObjectId('000000000000000000000000')",
        );
        let date = bson::DateTime::from_millis(1_000);
        check(Bson::DateTime(date), "ISODate('1970-01-01T00:00:01.000Z')");
        assert_eq!(short(&Bson::String("x".repeat(1_000))).chars().count(), VALUE_CHARS_MAX + 3);
    }

    #[test]
    fn a_line_shows_what_is_inside() {
        let check = |value: Bson, expected: &str| assert_eq!(preview(&value), expected);
        check(bson!({"city": "x", "geo": [1, 2]}), "{ city: 'x', geo: [ 1, 2 ] }");
        check(Bson::Array((0..20).map(Bson::Int32).collect()), "[ 0, 1, 2, 3, 4, 5, 6, 7, … ]");
        check(bson!({"a": {"b": {"c": {"d": 1}}}}), "{ a: { b: { c: { … } } } }");
        check(bson!([[[["a"]]], [[[]]]]), "[ [ [ [ … ] ] ], [ [ [] ] ] ]");
        check(bson!([]), "[]");
        check(bson!(5), "5");
    }

    #[test]
    fn an_id_says_what_it_is() {
        let check = |value: Bson, expected: &str| assert_eq!(id(&value), expected);
        check(bson!({"user": 7, "day": "mon"}), "{ user: 7, day: 'mon' }");
        check(bson!([1, 2]), "[ 1, 2 ]");
        check(bson!({}), "{}");
        check(bson!("a"), "'a'");
        let many: Vec<Bson> = (0..1_000).map(Bson::Int32).collect();
        assert_eq!(id(&Bson::Array(many)).chars().count(), VALUE_CHARS_MAX + 1);
    }

    #[test]
    fn a_line_has_room_for_the_value_first() {
        let check = |name: &str, value: &Bson, chars, expected: (&str, &str)| {
            let (name, value) = fitted(name, value, chars);
            assert_eq!((name.as_str(), value.as_str()), expected, "{chars}");
        };
        let date = Bson::DateTime(bson::DateTime::from_millis(1_001));
        check("at", &date, 40, ("at", "ISODate('1970-01-01T00:00:01.001Z')"));
        check("lastModifiedDate", &date, 42, ("lastModifiedDate", "1970-01-01 00:00:01.001Z"));
        check("lastModifiedDate", &date, 40, ("lastModifiedD…", "1970-01-01 00:00:01.001Z"));
        check("lastModifiedDate", &date, 20, ("lastModified…", "1970-01-01 00:00:01.001Z"));
        check(&"x".repeat(200), &Bson::Int32(5), 40, (&format!("{}…", "x".repeat(36)), "5"));
        let long = Bson::String("y".repeat(90));
        let quoted = format!("'{}'", "y".repeat(90));
        check("name", &long, 40, ("name", &quoted));
        check("a name that is long", &long, 40, ("a name that …", &quoted));
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let check = |content: &str, max, expected: &str| assert_eq!(cut(content, max), expected);
        check("äöü", 3, "äöü");
        check("äöü", 2, "äö…");
    }
}
