//! Failures of a file's JavaScript in plain words: at the line with the word, and with the name that was
//! probably meant.

use bson::Bson;

use crate::job::lesson::Problem;
use crate::near::nearest;

/// The value of an expression in the lesson, if it has one.
pub(super) type Evaluate<'a> = &'a mut dyn FnMut(&str) -> Option<Bson>;

/// The names that a script of a lesson can call or read, by their owners.
const NAMES: &str = r"[...new Set([
  globalThis, db, Object.getPrototypeOf(db), Object.getPrototypeOf(db.x), Object.getPrototypeOf(db.x.find()),
  Array.prototype, String.prototype, Date.prototype, Object, Math, JSON, clock, reaper,
].flatMap((owner) => Object.getOwnPropertyNames(owner)))].filter((name) => /^[a-zA-Z]/.test(name))";

/// The messages of `QuickJS` and mongosh about a name that doesn't exist.
const UNKNOWN: [&str; 2] = [" is not a function", " is not defined"];

/// Adds the name that was probably meant.
pub(super) fn suggest(problem: &mut Problem, evaluate: Evaluate<'_>) {
    let Some(word) = unknown_word(&problem.sentence).map(ToOwned::to_owned) else { return };
    let Some(found) = evaluate(NAMES) else { return };
    let names = found.as_array().map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = names.iter().filter_map(|name| name.as_str()).collect();
    if let Some(near) = nearest(&word, &names).filter(|near| *near != word) {
        let said = problem.sentence.trim_end_matches('.');
        problem.sentence = format!("{said}. Did you mean `{near}`?");
    }
}

/// Moves a problem from the beginning of its block to the line that has the word it is about.
pub(super) fn place(problem: &mut Problem, text: &str) {
    let Some(word) = unknown_word(&problem.sentence) else { return };
    let block = text.lines().enumerate().skip(problem.line);
    for (index, line) in block.take_while(|(_, line)| !line.trim_start().starts_with("```")) {
        let at = line.match_indices(word).map(|(at, _)| at).find(|at| is_whole(line, *at, word));
        if let Some(at) = at {
            problem.line = index + 1;
            problem.column = line[..at].chars().count() + 1;
            return;
        }
    }
}

/// The last name of a call or of a variable that doesn't exist.
fn unknown_word(sentence: &str) -> Option<&str> {
    let end = UNKNOWN.iter().find_map(|said| sentence.find(said))?;
    let before = sentence[..end].trim_end_matches('\'');
    let start = before
        .rfind(|letter: char| !is_name(letter))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    Some(&before[start..]).filter(|word| !word.is_empty())
}

fn is_whole(line: &str, at: usize, word: &str) -> bool {
    let before = line[..at].chars().next_back();
    let after = line[at + word.len()..].chars().next();
    !before.is_some_and(is_name) && !after.is_some_and(is_name)
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// The line of a syntax error in a script, from 0. `None` if it has none.
pub(super) fn syntax_line(evaluate: Evaluate<'_>, script: &str) -> Option<usize> {
    let quoted = serde_json::Value::from(script).to_string();
    // Compiled and not run. The function's head is two lines.
    let stack = format!(
        "(() => {{ try {{ new Function({quoted}) }} catch (e) {{ return String(e.stack) }} }})()"
    );
    let found = evaluate(&stack)?;
    let stack = found.as_str()?;
    let mut numbers = stack.split(':').skip(1);
    let digits: String = numbers.next()?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().ok()?.checked_sub(HEAD_LINES + 1)
}

/// Lines that `QuickJS` puts before the body of a function.
const HEAD_LINES: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unknown_word_is_found() {
        for (said, word) in [
            ("js run: TypeError: db.log.insertMny is not a function", Some("insertMny")),
            ("ReferenceError: 'colection' is not defined", Some("colection")),
            ("removedAftr is not defined", Some("removedAftr")),
            ("MongoServerError: E11000 duplicate key", None),
            (" is not a function", None),
        ] {
            assert_eq!(unknown_word(said), word, "{said}");
        }
    }

    #[test]
    fn a_problem_moves_to_the_word() {
        let text =
            "## One\n```js run\nconst insertMnyX = 1\n  db.é.insertMny([])\n```\ninsertMny\n";
        let at = |line| {
            let sentence = "x.insertMny is not a function".to_owned();
            let mut problem = Problem { line, column: 1, sentence };
            place(&mut problem, text);
            (problem.line, problem.column)
        };
        assert_eq!(at(2), (4, 8));
        assert_eq!(at(5), (6, 1));
    }
}
