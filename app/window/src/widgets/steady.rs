//! Ids that stay when something appears above. egui numbers the widgets of an area in their order,
//! so a row that appears between press and release would give the click to a neighbor, or lose it.

use std::collections::HashMap;

use egui::{Id, Ui};

/// How often each id was asked for in one pass over the window.
#[derive(Clone, Default)]
struct IdCounts {
    pass: u64,
    times: HashMap<Id, u32>,
}

/// The id of a control by its name. Of several with one name in one area each has its own, in their
/// order.
pub fn id(ui: &Ui, name: &str) -> Id {
    let named = ui.scope_id().with(("steady", name));
    let pass = ui.ctx().cumulative_pass_nr();
    let nth = ui.data_mut(|data| {
        let asked = data.get_temp_mut_or_default::<IdCounts>(Id::unique("asked for"));
        if asked.pass != pass {
            *asked = IdCounts { pass, times: HashMap::new() };
        }
        let times = asked.times.entry(named).or_default();
        *times += 1;
        *times
    });
    named.with(nth)
}

#[cfg(test)]
mod tests {
    use egui::{Context, RawInput};

    use super::*;

    /// The ids of buttons of these names, drawn in one pass below this number of labels.
    fn ids(context: &Context, labels: usize, names: &[&str]) -> Vec<Id> {
        let mut found = Vec::new();
        let mut output = context.run_ui(RawInput::default(), |ui| {
            found.clear();
            for _ in 0..labels {
                ui.label("row");
            }
            ui.horizontal(|ui| found.extend(names.iter().map(|name| id(ui, name))));
        });
        // Nothing is painted; a debug build refuses to drop textures unseen.
        output.textures_delta.clear();
        found
    }

    #[test]
    fn rows_above_change_no_id() {
        let context = Context::default();
        let before = ids(&context, 0, &["Edit", "Clone"]);
        assert_eq!(ids(&context, 3, &["Edit", "Clone"]), before);
    }

    #[test]
    fn controls_of_one_name_differ_and_keep_their_order() {
        let context = Context::default();
        let found = ids(&context, 0, &["Edit", "Edit"]);
        assert_ne!(found[0], found[1]);
        assert_eq!(ids(&context, 1, &["Edit", "Clone", "Edit"])[2], found[1]);
    }
}
