//! Queries that were run before, favorites, and queries as code.

use super::reading;
use crate::apply::{Apply, clipboard};
use crate::state::TabId;
use crate::state::code::Language;
use crate::state::documents::QueryText;
use crate::state::queries::KnownQuery;
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;

/// Runs a query in place of the one that is typed.
pub(super) fn run(tab: TabId, text: QueryText, cx: &mut Apply<'_>) {
    let draft = &mut cx.state.drafts.tab(tab).documents;
    draft.options |= text.has_options();
    draft.query = text;
    reading::run_draft(tab, cx);
}

/// Runs a query in its own collection.
pub(super) fn open(query: KnownQuery, cx: &mut Apply<'_>) {
    let KnownQuery { namespace, text, .. } = query;
    if cx.state.tree.collection(&namespace).is_none() {
        let words = format!("The collection {namespace} doesn't exist any more");
        cx.warn(words);
        return;
    }
    crate::apply::tabs::show(&namespace, cx.state);
    let Some(tab) = cx.state.tabs.active_mut().filter(|tab| tab.namespace == namespace) else {
        return;
    };
    (tab.view, tab.is_view_chosen) = (ViewKind::Documents, true);
    let id = tab.id;
    reading::show_query(id, text, cx);
}

/// Keeps the query that is typed under a name.
pub(super) fn keep(tab: TabId, name: &str, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|tab| tab.namespace.clone()) else { return };
    let text = cx.state.drafts.tab(tab).documents.query.clone();
    let is_replaced = cx.state.queries.has_name(&namespace, name);
    let (kind, words) = match cx.state.queries.keep(name, &namespace, &text) {
        Ok(()) if is_replaced => (Kind::Done, format!("Replaced the favorite {name}")),
        Ok(()) => (Kind::Done, format!("Added the favorite {name}")),
        Err(error) => (Kind::Warning, error),
    };
    cx.toast(kind, words);
}

/// Copies the query that is typed as a piece of a program.
pub(super) fn copy_as(tab: TabId, language: Language, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|tab| tab.namespace.clone()) else { return };
    let now_ms = cx.state.now_ms();
    match cx.state.drafts.tab(tab).documents.query.read(now_ms) {
        Ok(query) => clipboard::copy_lines(language.find(&namespace, &query), cx),
        Err(error) => {
            cx.warn(error.message);
        }
    }
}
