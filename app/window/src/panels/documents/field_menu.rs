//! The menu of a value, wherever it is shown: in a cell, on a card, in JSON, in the inspector.

use bson::{Bson, Document};
use egui::{Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, pos2};

use super::copy;
use crate::action::documents::PASTE;
use crate::action::view_actions::How;
use crate::action::{Action, Actions, ConvertAction, DocumentsAction, ViewAction};
use crate::state::Tab;
use crate::state::documents::{FieldTask, FieldTaskKind, Mode, field_path, filter_text};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::{cell, marks, menu, paint};

/// A value and where it is.
pub struct Target<'a> {
    pub tab: &'a Tab,
    /// The `_id` of the document; `None` where the projection leaves it out.
    pub id: Option<&'a Bson>,
    /// The row of the document in the list.
    pub row: u64,
    /// The document, as far as it is known.
    pub document: &'a Document,
    /// The name of the field at each level; empty for the document itself.
    pub names: &'a [String],
    /// Whether the value is in the list, and edited there.
    pub in_list: bool,
    /// Whether the document can be changed.
    pub editable: bool,
}

/// The menu of a cell: where the secondary button was pressed, and below the dots that are in the
/// cell under the pointer. They are at the end that the value doesn't need.
pub fn cell_ui(ui: &mut Ui, cell: &Response, target: &Target<'_>, actions: &mut Actions) {
    menu::context(cell, |ui| self::ui(ui, target, actions));
    let id = cell.id.with("dots");
    if !cell.contains_pointer() && !menu::is_open_below(ui.ctx(), id) {
        return;
    }
    let found = field_path::value(target.document, target.names);
    let half = 0.5 * sizes::CONTROL_SMALL;
    let inner = cell.rect.intersect(ui.clip_rect()).shrink(2.0);
    let x =
        if found.is_some_and(cell::is_right) { inner.left() + half } else { inner.right() - half };
    let place = Rect::from_center_size(pos2(x, inner.center().y), Vec2::splat(2.0 * half));
    let dots = ui.interact(place.intersect(inner), id, Sense::click());
    let name = format!("Menu of {}", marks::visible(&field_path::dotted(target.names)));
    dots.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &name));
    let colors = colors(ui);
    let fill = if dots.hovered() { colors.well } else { colors.raised };
    ui.painter().rect_filled(dots.rect, sizes::GAP_TINY, fill);
    let ink = if dots.hovered() { colors.text } else { colors.dim };
    paint::icon_at(ui.painter(), dots.rect.center(), Icon::More, text::ICON - 2.0, ink);
    menu::below(&dots, |ui| self::ui(ui, target, actions));
}

/// Draws the entries.
pub fn ui(ui: &mut Ui, target: &Target<'_>, actions: &mut Actions) {
    if !target.names.is_empty() {
        value_ui(ui, target, actions);
        menu::line(ui);
    }
    document_ui(ui, target, actions);
}

fn value_ui(ui: &mut Ui, target: &Target<'_>, actions: &mut Actions) {
    let found = field_path::value(target.document, target.names);
    edit_ui(ui, target, found, actions);
    let view = |action| Action::View(action);
    if let Some(found) = found
        && menu::entry(ui, "Copy value", "", true).clicked()
    {
        actions.push(view(ViewAction::CopyLines(copy::value_text(found))));
    }
    pane_ui(ui, target, found, actions);
    let path = field_path::dotted(target.names);
    if menu::entry(ui, "Copy path", "", true).clicked() {
        actions.push(view(ViewAction::Copy(path.clone())));
    }
    if !field_path::is_plain(target.names) {
        return;
    }
    menu::line(ui);
    let queried = query_path(target);
    path_ui(ui, target, found, &queried, actions);
    // A conversion reaches into no array, and an _id never changes.
    let is_single = queried == path && target.names.first().is_some_and(|name| name != "_id");
    if target.editable && is_single && found.is_some_and(may_become_date) {
        convert_ui(ui, target.tab, &path, actions);
    }
}

/// The entries that show the value, or the document that it refers to, elsewhere.
fn pane_ui(ui: &mut Ui, target: &Target<'_>, found: Option<&Bson>, actions: &mut Actions) {
    let (Some(id), Some(found)) = (target.id, found) else { return };
    let is_long =
        matches!(found, Bson::String(_) | Bson::Binary(_) | Bson::Document(_) | Bson::Array(_));
    let is_id = target.names.len() == 1 && target.names[0] == "_id";
    let refers = matches!(found, Bson::ObjectId(_) | Bson::String(_) | Bson::Int32(_))
        || matches!(found, Bson::Int64(_) | Bson::Binary(_));
    for (label, kind, possible) in [
        ("Open value…", FieldTaskKind::Show, is_long),
        ("Find the document with this _id", FieldTaskKind::Refer, refers && !is_id),
    ] {
        if possible && menu::entry(ui, label, "", true).clicked() {
            let task = FieldTask { names: target.names.to_vec(), kind };
            let action = DocumentsAction::Field { id: id.clone(), task };
            actions.push(Action::Documents(target.tab.id, action));
        }
    }
}

fn query_path(target: &Target<'_>) -> String {
    let is_index = |at: usize| {
        let parent = field_path::value(target.document, &target.names[..at]);
        at > 0 && matches!(parent, Some(Bson::Array(_)))
    };
    // A filter matches the items of an array together, so their indexes are left out.
    let names = target.names.iter().enumerate().filter(|(at, _)| !is_index(*at));
    names.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(".")
}

fn edit_ui(ui: &mut Ui, target: &Target<'_>, found: Option<&Bson>, actions: &mut Actions) {
    let Some(id) = target.id.filter(|_| target.editable) else { return };
    if target.names.len() == 1 && target.names[0] == "_id" {
        return;
    }
    let mut task = |kind| {
        let task = FieldTask { names: target.names.to_vec(), kind };
        let action = DocumentsAction::Field { id: id.clone(), task };
        actions.push(Action::Documents(target.tab.id, action));
    };
    let edit = if target.in_list { FieldTaskKind::EditInList } else { FieldTaskKind::Edit };
    let label = if found.is_some() { "Edit value" } else { "Add this field" };
    if menu::entry(ui, label, "", true).clicked() {
        task(edit);
    }
    let Some(found) = found else { return };
    menu::below_entry(ui, "Field", |ui| {
        let is_container = matches!(found, Bson::Document(_) | Bson::Array(_));
        for (label, kind, possible) in [
            ("Rename…", FieldTaskKind::Rename, true),
            ("Add a field inside…", FieldTaskKind::Add, is_container),
            ("Move up", FieldTaskKind::MoveUp, true),
            ("Move down", FieldTaskKind::MoveDown, true),
            ("Remove field", FieldTaskKind::Remove, true),
        ] {
            if possible && menu::entry(ui, label, "", true).clicked() {
                task(kind);
            }
        }
    });
}

/// The entries that use the path in a query.
fn path_ui(
    ui: &mut Ui,
    target: &Target<'_>,
    found: Option<&Bson>,
    path: &str,
    actions: &mut Actions,
) {
    let mut push = |action| actions.push(Action::Documents(target.tab.id, action));
    match found {
        Some(found) => {
            if menu::entry(ui, "Filter by this value", "", true).clicked() {
                push(DocumentsAction::Narrow(filter_text::equals(path, found, true)));
            }
            if menu::entry(ui, "Exclude this value", "", true).clicked() {
                push(DocumentsAction::Narrow(filter_text::equals(path, found, false)));
            }
        }
        None => {
            if menu::entry(ui, "Filter by missing field", "", true).clicked() {
                push(DocumentsAction::Narrow(filter_text::exists(path, false)));
            }
        }
    }
    sort_ui(ui, target.tab, path, &mut push);
    if target.tab.documents.mode == Mode::Table && target.in_list {
        let field = field_path::dotted(target.names);
        if menu::entry(ui, "Hide column", "", true).clicked() {
            push(DocumentsAction::SetHidden { field, hidden: true });
        }
    }
}

/// The entries that sort by a path.
pub fn sort_ui(ui: &mut Ui, tab: &Tab, path: &str, push: &mut impl FnMut(DocumentsAction)) {
    let sorted = tab.documents.sorted_by(path);
    for (label, up) in [("Sort ascending", true), ("Sort descending", false)] {
        if menu::entry(ui, label, "", sorted != Some(up)).clicked() {
            push(DocumentsAction::SortBy(path.to_owned(), Some(up)));
        }
    }
    if sorted.is_some() && menu::entry(ui, "Remove sort", "", true).clicked() {
        push(DocumentsAction::SortBy(path.to_owned(), None));
    }
}

/// The entry that converts text or numbers of a field to dates.
pub fn convert_ui(ui: &mut Ui, tab: &Tab, path: &str, actions: &mut Actions) {
    if menu::entry(ui, "Convert to dates…", "", true).clicked() {
        let (namespace, path) = (tab.namespace.clone(), path.to_owned());
        actions.push(Action::Convert(ConvertAction::Open { namespace, path }));
    }
}

/// Whether a conversion may make a date of a value.
pub fn may_become_date(value: &Bson) -> bool {
    matches!(value, Bson::String(_) | Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_))
}

/// The entries for the document as a whole.
fn document_ui(ui: &mut Ui, target: &Target<'_>, actions: &mut Actions) {
    let Some(id) = target.id else { return };
    let copied = copy::menu_ui(ui, target.document);
    if let Some(text) = copied {
        actions.push(Action::View(ViewAction::CopyLines(text)));
    }
    if !target.editable {
        return;
    }
    if menu::entry(ui, PASTE.label, "Ctrl+V", true).clicked() {
        actions.push(Action::Documents(target.tab.id, DocumentsAction::Paste(None)));
    }
    let view = &target.tab.documents;
    let other = view.focus.as_ref().filter(|focus| focus.id != *id && view.selected.len() < 3);
    if let Some(other) = other
        && menu::entry(ui, "Compare with the selected one…", "", true).clicked()
    {
        let ids = Box::new([other.id.clone(), id.clone()]);
        actions.push(Action::Documents(target.tab.id, DocumentsAction::Compare(ids)));
    }
    let add = FieldTask { names: Vec::new(), kind: FieldTaskKind::Add };
    for (label, action) in [
        ("Add field…", DocumentsAction::Field { id: id.clone(), task: add }),
        ("Edit document…", DocumentsAction::Edit(id.clone())),
        ("Clone document…", DocumentsAction::Clone(id.clone())),
    ] {
        if menu::entry(ui, label, "", true).clicked() {
            actions.push(Action::Documents(target.tab.id, action));
        }
    }
    if menu::entry(ui, "Delete document…", "", true).clicked() {
        let mut push = |action| actions.push(Action::Documents(target.tab.id, action));
        if target.tab.documents.mode == Mode::Table {
            // A table has no place for the question.
            push(DocumentsAction::Select { row: target.row, id: id.clone(), how: How::Only });
            push(DocumentsAction::AskDeleteSelected);
        } else {
            push(DocumentsAction::AskDelete(id.clone()));
        }
    }
}
