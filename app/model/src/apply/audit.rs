//! The TTL audit.

use std::sync::Arc;

use super::question::{Answer, Question, Report, Run};
use super::{Apply, indexes, tabs};
use crate::action::{
    Action, AuditAction, ConvertAction, IndexesAction, TabsAction, TransferAction,
};
use crate::inspect::audit::{Audit, AuditProgress, Finding, form};
use crate::job::Cancel;
use crate::limits::AUDIT_WINDOW_TIME;
use crate::state::State;
use crate::state::audit::{AuditView, Auditing, Stage, Way};
use crate::state::dialogs::{Dialog, SettingsDraft};
use crate::state::tabs::ViewKind;
use crate::worker::audit::{AuditSubject, AuditWork};
use crate::worker::{Desk, Lane};

/// Carries out one action.
pub fn apply(action: AuditAction, cx: &mut Apply<'_>) {
    match action {
        AuditAction::Open => {
            let view = begin(cx);
            cx.state.dialogs.show(Dialog::Audit(Box::new(view)));
        }
        AuditAction::Again => {
            let next = begin(cx);
            if let Some(view) = view(cx.state) {
                *view = next;
            }
        }
        AuditAction::Stop => {
            if let Some(auditing) = view(cx.state).and_then(|view| view.auditing.as_ref()) {
                auditing.0.cancel();
            }
        }
        AuditAction::Select(at) => {
            if let Some(view) = view(cx.state) {
                view.selected = at;
            }
        }
        AuditAction::Save => {
            let Some(AuditView { stage: Stage::Done(audit), .. }) = view(cx.state) else { return };
            let text = form::html(audit);
            let name = cx.state.store.name.clone();
            cx.then(Action::Transfer(TransferAction::ExportAudit { name, text }));
        }
        AuditAction::Mend => {
            let Some(view) = view(cx.state) else { return };
            let (Some(finding), Stage::Done(audit)) = (view.shown().cloned(), &view.stage) else {
                return;
            };
            if let Some(way) = Way::of(audit, &finding) {
                let field = field(view);
                mend(way, &finding, field, cx);
            }
        }
    }
}

fn view(state: &mut State) -> Option<&mut AuditView> {
    match state.dialogs.open_mut() {
        Some(Dialog::Audit(view)) => Some(view),
        _ => None,
    }
}

/// Starts an audit. One that runs stops with the view that it was for.
fn begin(cx: &mut Apply<'_>) -> AuditView {
    let cancel = Cancel::default();
    let connection = cx.state.store.connection.as_ref();
    let attached = connection.map(|connection| &*connection.attached);
    let subject = AuditSubject::of(cx.state.store.name.clone(), attached);
    let samples = connection.map(|connection| connection.sampling.samples.clone());
    let (samples, time_limit) = (samples.unwrap_or_default(), AUDIT_WINDOW_TIME);
    let work = AuditWork { samples, time_limit, ..AuditWork::new(subject) };
    let generation = cx.run(RunAudit { work, cancel: cancel.clone() });
    AuditView {
        generation,
        stage: Stage::Reading(AuditProgress::default()),
        auditing: Some(Arc::new(Auditing(cancel))),
        selected: None,
    }
}

/// The field that the rule of the shown finding counts from, or that could carry one.
fn field(view: &AuditView) -> Option<String> {
    let Stage::Done(audit) = &view.stage else { return None };
    let place = &view.shown()?.place;
    let of = audit.facts.collections.iter();
    let collection = of.into_iter().find(|it| Some(&it.namespace) == place.namespace.as_ref())?;
    let rule = collection.rules.iter().find(|rule| Some(&rule.name) == place.index.as_ref());
    let dated = || {
        let fields = &collection.sample.as_ref()?.fields;
        fields.iter().max_by_key(|field| field.dates).map(|field| field.path.clone())
    };
    rule.map(|rule| rule.field.clone()).or_else(dated)
}

/// Closes the audit and opens the place where the finding is mended.
fn mend(way: Way, finding: &Finding, field: Option<String>, cx: &mut Apply<'_>) {
    cx.state.dialogs.close();
    if way == Way::Monitor {
        return cx.state.dialogs.show(Dialog::Settings(SettingsDraft::default()));
    }
    let Some(namespace) = finding.place.namespace.clone() else { return };
    let kind = if way == Way::Expiry { ViewKind::Expiry } else { ViewKind::Indexes };
    tabs::apply(TabsAction::ShowView(namespace.clone(), kind), cx);
    let Some(tab) = cx.state.tabs.active().map(|tab| tab.id) else { return };
    let path = field.unwrap_or_default();
    match (way, &finding.place.index) {
        (Way::Convert, _) => {
            cx.then(Action::Convert(ConvertAction::Open { namespace, path }));
        }
        (Way::ChangeTtl | Way::AddTtl, Some(index)) => {
            indexes::open_change_ttl_when_known(tab, index, cx);
        }
        (Way::CreateTtl, _) => {
            cx.then(Action::Indexes(tab, IndexesAction::OpenCreateTtl(path)));
        }
        _ => {}
    }
}

/// An audit of the open store. The newest counts.
#[derive(Debug)]
struct RunAudit {
    work: AuditWork,
    cancel: Cancel,
}

impl PartialEq for RunAudit {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// How far an audit is, or its end.
enum Told {
    Progress(AuditProgress),
    End(Result<Box<Audit>, String>),
}

impl Question for RunAudit {
    type Answer = Told;

    fn answered(&self, generation: u64, told: Told, cx: &mut Apply<'_>) {
        if let (Told::End(Ok(audit)), Some(connection)) = (&told, &mut cx.state.store.connection) {
            connection.sampling.take_all(&audit.facts.samples);
        }
        let Some(view) = view(cx.state).filter(|view| view.generation == generation) else {
            return;
        };
        view.stage = match told {
            Told::Progress(progress) => Stage::Reading(progress),
            Told::End(Ok(audit)) => Stage::Done(Arc::new(*audit)),
            Told::End(Err(sentence)) => Stage::Failed(sentence),
        };
        if !matches!(view.stage, Stage::Reading(_)) {
            view.auditing = None;
        }
    }
}

impl Run for RunAudit {
    const LANE: Lane = Lane::Schema;
    const OUTLIVES_STORE: bool = false;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let stop = self.cancel.clone();
        let audit = desk.at_close.stopping(
            move || stop.cancel(),
            || {
                let source = desk.open_source()?;
                let tell = |progress| report.send(Told::Progress(progress));
                self.work.run(source.as_ref(), &self.cancel, &tell)
            },
        );
        report.send(Told::End(audit.map(Box::new)));
    }

    fn failed(&self, message: String) -> Told {
        Told::End(Err(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::Effects;

    #[test]
    fn an_audit_that_is_stopped_stays_on_the_screen() {
        let (mut state, mut effects) = (State::default(), Effects::default());
        let mut cx = Apply::new(&mut state, &mut effects);
        apply(AuditAction::Open, &mut cx);
        let cancel = view(cx.state).and_then(|view| view.auditing.clone()).expect("it runs");
        assert!(!cancel.0.is_cancelled());
        apply(AuditAction::Stop, &mut cx);
        assert!(cancel.0.is_cancelled());
        assert!(view(cx.state).is_some(), "the result comes to it");
    }
}
