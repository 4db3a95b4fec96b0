//! The TTL audit: what it finds is read whole, and leads to the place where it is mended.

use bson::{Document, doc};
use egui::Key;
use mayfly::action::{Action, AuditAction};
use mayfly::inspect::audit::FindingId;
use mayfly::state::audit::Stage;
use mayfly::state::tabs::ViewKind;
use mayfly::state::{Dialog, indexes};

use super::support::{Window, at};

/// Carts that never expire, because their date is text, and notes with a plain index on a date.
fn commands() -> Vec<Document> {
    let index = |name: &str, more: Document| {
        let mut index = doc! {"key": {"at": 1}, "name": "at_1"};
        index.extend(more);
        doc! {"createIndexes": name, "indexes": [index]}
    };
    vec![
        index("carts", doc! {"expireAfterSeconds": 60}),
        doc! {"insert": "carts", "documents": [
            {"_id": 1, "at": "2026-01-01"}, {"_id": 2, "at": "2026-01-02"},
        ]},
        index("notes", doc! {}),
        doc! {"insert": "notes", "documents": (0..30)
        .map(|id| doc! {"_id": id, "at": at(i64::from(id))})
        .collect::<Vec<_>>()},
    ]
}

fn audited() -> Window {
    let mut window = Window::open_after(&commands());
    audit(&mut window);
    window
}

fn audit(window: &mut Window) {
    window.ask(Action::Audit(AuditAction::Open));
    window.until("it has ended", |state| {
        matches!(state.dialogs.open(), Some(Dialog::Audit(view)) if matches!(view.stage, Stage::Done(_)))
    });
}

#[test]
fn a_finding_leads_to_the_conversion_of_its_field() {
    let mut window = audited();
    window.until_named("Findings: 1 error");
    window.click("Error: No document can expire by at_1 of test.carts.");
    window.until_named("Error · test.carts, index at_1");
    window.click("Convert to dates…");
    window.until_named("Convert field to dates");
    assert_eq!(window.value("Field to convert"), "at");
}

#[test]
fn a_plain_index_on_a_date_leads_to_its_dialog() {
    let mut window = audited();
    window.click("Note: The index at_1 of test.notes is on a date and could carry a TTL.");
    window.click("Add TTL…");
    window.until("the dialog of the index is open", |state| {
        matches!(state.dialogs.open(), Some(Dialog::Indexes(_, indexes::Dialog::ChangeTtl(_))))
    });
    let tab = window.tab();
    assert_eq!((tab.namespace.collection.as_str(), tab.view), ("notes", ViewKind::Indexes));
}

#[test]
fn a_backlog_leads_to_the_ttl_of_its_rule() {
    let mut window = Window::open_after(&[
        doc! {"createIndexes": "late", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]},
        doc! {"insert": "late", "documents": (0..30)
        .map(|id| doc! {"_id": id, "at": at(-86_400)})
        .collect::<Vec<_>>()},
    ]);
    window.run("admin", &doc! {"setParameter": 1, "ttlMonitorEnabled": false});
    audit(&mut window);
    let Some(Dialog::Audit(view)) = window.state().dialogs.open() else { panic!("no audit") };
    let Stage::Done(found) = &view.stage else { panic!("it runs") };
    let backlog = found.findings.iter().position(|it| it.id == FindingId::BacklogAtStart);
    window.ask(Action::Audit(AuditAction::Select(backlog)));
    window.click("Change TTL…");
    window.until("the dialog of the index is open", |state| {
        matches!(state.dialogs.open(), Some(Dialog::Indexes(_, indexes::Dialog::ChangeTtl(_))))
    });
    assert_eq!(window.tab().namespace.collection, "late");
}

#[test]
fn an_audit_is_saved_as_a_page_and_made_again() {
    let mut window = audited();
    let file = window.folder.path().join("audit.html");
    window.click("Save as page…");
    window.until_named("Save TTL audit");
    window.type_into("File path", &file.display().to_string());
    window.click("Export");
    window.until_named("Exported the TTL audit to");
    let page = std::fs::read_to_string(&file).expect("the page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("never-all"), "{page}");
    window.until_named("TTL audit of");
    window.run("test", &doc! {"delete": "carts", "deletes": [{"q": {}, "limit": 0}]});
    window.click("Audit again");
    window.until_named("Findings: no errors");
}

#[test]
fn a_closed_audit_stops_reading() {
    let mut window = Window::open_after(&commands());
    window.ask(Action::Audit(AuditAction::Open));
    let stop = match window.state().dialogs.open() {
        Some(Dialog::Audit(view)) => view.auditing.as_ref().map(|auditing| auditing.0.clone()),
        _ => None,
    };
    let ended = stop.is_none();
    window.key(Key::Escape);
    window.until_gone("TTL audit of");
    assert!(ended || stop.is_some_and(|stop| stop.is_cancelled()));
}
