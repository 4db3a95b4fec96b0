//! `mayfly lesson exam`: the questions as text, the answers on standard input.

use std::io::{BufRead, Write};

use super::Failure;
use super::lesson_args::LessonExam;
use crate::job::lesson::{ExamQuestion, ExamSheet};
use crate::lessons::exam;
use crate::state::lesson::exam::Exam;

/// The seeds that are drawn. Short, so that they can be typed.
const SEEDS: u64 = 100_000;

/// Asks every question and prints the result by rule, or prints the questions.
pub(super) fn run(
    args: &LessonExam,
    now_ms: i64,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or(now_ms.unsigned_abs() % SEEDS);
    let sheet = exam::draw(seed).map_err(|sentence| Failure(format!("{sentence}.")))?;
    let printed =
        if args.print { print(&sheet, args.answers, out) } else { take(sheet, input, out) };
    match printed {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("Can't use the terminal: {error}.")))
        }
        _ => Ok(()),
    }
}

fn print(sheet: &ExamSheet, has_answers: bool, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "Exam {}", sheet.seed)?;
    for (at, question) in sheet.questions.iter().enumerate() {
        ask(at, sheet, question, out)?;
    }
    if has_answers {
        writeln!(out, "\nAnswers")?;
        for (at, question) in sheet.questions.iter().enumerate() {
            let because = question.choices.get(question.right).map_or("", |it| it.because.as_str());
            writeln!(out, "{:>2}  {}  {because}", at + 1, question.right + 1)?;
        }
    }
    Ok(())
}

fn ask(
    at: usize,
    sheet: &ExamSheet,
    question: &ExamQuestion,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    writeln!(out, "\n{}/{}  {}\n", at + 1, sheet.questions.len(), question.given)?;
    writeln!(out, "{}", question.text)?;
    for (place, choice) in question.choices.iter().enumerate() {
        writeln!(out, "  {}  {}", place + 1, choice.text)?;
    }
    Ok(())
}

fn take(sheet: ExamSheet, input: &mut dyn BufRead, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "Exam {}. The engine computed every answer.", sheet.seed)?;
    let mut exam = Exam::new(sheet);
    while let Some((at, question, _)) = exam.open() {
        ask(at, &exam.sheet, question, out)?;
        let count = question.choices.len();
        let answer = loop {
            write!(out, "Your answer (1 to {count}, or Enter to skip): ")?;
            out.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return writeln!(out);
            }
            match line.trim() {
                "" => break None,
                typed => match typed.parse::<usize>() {
                    Ok(number) if (1..=count).contains(&number) => break Some(number - 1),
                    _ => writeln!(out, "There is no choice {typed}.")?,
                },
            }
        };
        if let Some(choice) = answer {
            exam.choose(choice);
        }
        exam.step(true);
    }
    result(&exam, out)
}

fn result(exam: &Exam, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "\n{} of {} right", exam.score(), exam.sheet.questions.len())?;
    for (question, answer) in exam.results() {
        if answer == Some(question.right) {
            writeln!(out, "  right   {}", question.rule)?;
            continue;
        }
        writeln!(out, "  missed  {}", question.rule)?;
        if let Some(right) = question.choices.get(question.right) {
            writeln!(out, "          {}: {}", right.text, right.because)?;
        }
        writeln!(out, "          mayfly lesson play {}", question.lesson)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(args: &LessonExam, input: &str) -> String {
        let mut out = Vec::new();
        run(args, 0, &mut input.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_exam_is_printed_and_taken_with_its_own_answers() {
        let print = LessonExam { seed: Some(7), print: true, answers: true };
        let sheet = said(&print, "");
        assert!(sheet.starts_with("Exam 7\n\n1/20  "), "{sheet}");
        let (_, answers) = sheet.split_once("\nAnswers\n").expect("the answers");
        let numbers = answers.lines().map(|line| line.split_whitespace().nth(1).unwrap());
        let mut typed: Vec<String> = numbers.map(str::to_owned).collect();
        assert_eq!(typed.len(), 20);
        let take = LessonExam { seed: Some(7), print: false, answers: false };
        let text = said(&take, &format!("9\n{}\n", typed.join("\n")));
        assert!(
            text.contains("There is no choice 9.") && text.contains("20 of 20 right"),
            "{text}"
        );
        typed[0].clear();
        let text = said(&take, &format!("{}\n", typed.join("\n")));
        assert!(text.contains("19 of 20 right"), "{text}");
        assert!(text.contains("mayfly lesson play 01-the-threshold"), "{text}");
        assert_eq!(text.matches("missed").count(), 1);
    }

    #[test]
    fn the_end_of_the_input_ends_the_exam() {
        let take = LessonExam { seed: None, print: false, answers: false };
        let text = said(&take, "1\n");
        assert!(text.starts_with("Exam 0. ") && text.ends_with("to skip): \n"), "{text}");
    }
}
