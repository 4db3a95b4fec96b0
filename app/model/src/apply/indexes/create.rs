//! The dialog that creates an index.

use super::reads::SampleFields;
use crate::apply::Apply;
use crate::apply::index_tab::names;
use crate::commands::documents;
use crate::limits::SAMPLE_DOCUMENTS;
use crate::state::TabId;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{CreateIndex, Dialog};

/// Opens the dialog that creates an index, one with a TTL or any, with fields from a sample of the
/// documents.
pub fn open_create(tab: TabId, has_ttl: bool, field: String, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let fields = vec![(field, false)];
    let opened_ms = cx.state.now_ms();
    let create = CreateIndex { fields, has_ttl, opened_ms, ..CreateIndex::default() };
    cx.state.dialogs.show(AnyDialog::Indexes(tab, Dialog::Create(create)));
    cx.ask(SampleFields(tab), &db, documents::sample(&collection, SAMPLE_DOCUMENTS));
}
