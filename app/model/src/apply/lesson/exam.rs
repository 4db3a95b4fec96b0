//! The exam: drawn on a reader, then answered here.

use super::files::show_sheet;
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::job::lesson::ExamSheet;
use crate::state::lesson::Sheet;
use crate::state::lesson::exam::Exam;
use crate::state::toasts::Kind;
use crate::worker::{Desk, Lane};

/// The seeds are short, so that they can be typed.
const SEEDS: u64 = 100_000;

/// Draws an exam with other numbers than the last one.
pub(super) fn take(cx: &mut Apply<'_>) {
    let seed = cx.state.wall_ms.unsigned_abs() % SEEDS;
    cx.state.lessons.exam = None;
    show_sheet(Sheet::Exam, cx);
    cx.run(DrawExam(seed));
}

pub(super) fn answer(choice: usize, cx: &mut Apply<'_>) {
    if let Some(exam) = &mut cx.state.lessons.exam {
        exam.choose(choice);
    }
}

pub(super) fn step(is_forward: bool, cx: &mut Apply<'_>) {
    if let Some(exam) = &mut cx.state.lessons.exam {
        exam.step(is_forward);
    }
}

/// The exam of a seed.
#[derive(Debug, PartialEq)]
struct DrawExam(u64);

impl Question for DrawExam {
    type Answer = Result<ExamSheet, String>;

    fn answered(&self, _: u64, drawn: Self::Answer, cx: &mut Apply<'_>) {
        match drawn {
            Ok(sheet) => cx.state.lessons.exam = Some(Exam::new(sheet)),
            Err(sentence) => {
                cx.state.lessons.sheet = Sheet::List;
                cx.toast(Kind::Error, sentence);
            }
        }
    }
}

impl Run for DrawExam {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        if let Some(threads) = desk.threads {
            report.send(threads.shelf().exam(self.0));
        }
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}
