//! `[vary]`: a lesson whose numbers are drawn.
//!
//! The front matter lists values by name. One of each is drawn, and every `{{expression}}` of the file is
//! replaced by its value before the file is read: `{{seconds - ago}}`, or `{{time(60)}}` for the time of day
//! 60 seconds after the start. The file may come from a stranger, so an expression has only the drawn names,
//! numbers, texts and operators: nothing in it can loop.

use std::fmt::Write as _;

use rquickjs::{Context, Runtime, Value};

use super::front::{self, FENCE};
use super::table::{self, Table};
use super::{Problems, keys};
use crate::near;

/// The head of the table in the front matter.
const HEAD: &str = "[vary]";

/// The function of the time of day.
const TIME: &str = "time";

/// Bytes that the expressions of a file may hold.
const MEMORY_MAX: usize = 1024 * 1024;

/// Bytes of stack for an expression.
const STACK_MAX: usize = 128 * 1024;

/// Pseudo-random numbers from a seed (splitmix64), the same on every machine.
#[derive(Debug, Clone)]
pub struct SeededNumbers(u64);

impl SeededNumbers {
    /// The numbers for a name under a seed.
    pub fn new(seed: u64, name: &str) -> Self {
        let mut numbers = Self(seed);
        for byte in name.bytes() {
            numbers.0 = numbers.word() ^ u64::from(byte);
        }
        numbers
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which isn't 0.
    pub fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.word() % count).unwrap_or(0)
    }
}

/// Whether a file has numbers to draw.
pub fn varies(text: &str) -> bool {
    text.lines().skip(1).take_while(|line| line.trim_end() != FENCE).any(|line| line.trim() == HEAD)
}

/// The text with drawn values. Without a seed, the first one of each list. `None` with a problem.
pub fn draw(slug: &str, text: &str, seed: Option<u64>, problems: &Problems<'_>) -> Option<String> {
    let ranges = front::split(text, problems)?;
    let (start, end) = ranges.front;
    let parsed = table::parse(&text[start..end], start, problems)?;
    let front = Table::new(parsed.get_ref(), &keys::FRONT, (0, start), problems);
    let lists = front.table("vary", &keys::FREE)?.lists();
    let start_ms =
        front.table("clock", &keys::CLOCK).and_then(|clock| clock.instant_ms("start"))?;
    let mut numbers = seed.map(|seed| SeededNumbers::new(seed, slug));
    let mut script = format!(
        "const {TIME} = (s) => new Date({start_ms} + s * 1000).toISOString().slice(11, 19);"
    );
    let mut names = vec![TIME];
    for (name, values) in &lists {
        let at = numbers.as_mut().map_or(0, |numbers| numbers.below(values.len()));
        // A list is not empty.
        let value = values.get(at).cloned().unwrap_or_default().into_relaxed_extjson();
        // Writing to a String can't fail.
        let _ = write!(script, "const {name} = {value};");
        names.push(name);
    }
    replaced(text, &script, &names, problems)
}

/// Replaces every expression. Handles such as `{{ttl:60s..2h}}` stay.
fn replaced(text: &str, script: &str, names: &[&str], problems: &Problems<'_>) -> Option<String> {
    let runtime = Runtime::new().ok()?;
    runtime.set_memory_limit(MEMORY_MAX);
    runtime.set_max_stack_size(STACK_MAX);
    let context = Context::full(&runtime).ok()?;
    let mut out = String::new();
    let mut rest = 0;
    let mut is_well = true;
    while let Some(open) = text[rest..].find("{{").map(|at| rest + at) {
        let Some(close) = text[open..].find("}}").map(|at| open + at) else { break };
        let expression = &text[open + 2..close];
        out.push_str(&text[rest..open]);
        rest = close + 2;
        if expression.starts_with("ttl") {
            out.push_str(&text[open..rest]);
            continue;
        }
        match refusal(expression, names).map_or_else(|| evaluate(&context, script, expression), Err)
        {
            Ok(value) => out.push_str(&value),
            Err(sentence) => {
                problems.add(open, sentence);
                is_well = false;
            }
        }
    }
    out.push_str(&text[rest..]);
    is_well.then_some(out)
}

/// Why an expression is not evaluated.
fn refusal(expression: &str, names: &[&str]) -> Option<String> {
    let mut rest = expression;
    // An escape would hide the end of a text, and a function could call itself.
    for refused in ["\\", "=>"] {
        if expression.contains(refused) {
            return Some(format!("An expression of [vary] can't have `{refused}`. Remove it."));
        }
    }
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' || first == '\'' {
            match rest[1..].find(first) {
                Some(end) => end + 2,
                None => return Some(format!("A text of [vary] has no second `{first}`. Add it.")),
            }
        } else if first.is_alphanumeric() || first == '_' {
            let end = |c: char| !c.is_alphanumeric() && c != '_';
            let word = &rest[..rest.find(end).unwrap_or(rest.len())];
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            if !is_number && !names.contains(&word) {
                let hint = near::hint(word, names);
                return Some(format!("`{word}` is not in [vary]. {hint}"));
            }
            word.len()
        } else if "+-*/%()?:<>=!&|,. ".contains(first) {
            1
        } else {
            return Some(format!("An expression of [vary] can't have `{first}`. Remove it."));
        };
        rest = &rest[length..];
    }
    None
}

/// The value of an expression as text.
fn evaluate(context: &Context, script: &str, expression: &str) -> Result<String, String> {
    let failed = || format!("`{{{{{expression}}}}}` has no value. Check its operators.");
    context.with(|context| {
        let text = format!("(() => {{ {script} return String({expression}); }})()");
        let value: Value<'_> = context.eval(text).map_err(|_| failed())?;
        let value = value.as_string().and_then(|text| text.to_string().ok());
        value.filter(|text| !text.contains('\n')).ok_or_else(failed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "+++\n[clock]\nstart = 2026-01-01T12:00:00Z\n[vary]\n\
                        seconds = [600, 3600]\nkind = [\"a\", \"b\"]\n+++\n";

    fn drawn(body: &str, seed: Option<u64>) -> Result<String, Vec<String>> {
        let text = format!("{FILE}{body}");
        let problems = Problems::new(&text);
        let drawn = draw("x", &text, seed, &problems);
        let sentences = || problems.into_sorted().into_iter().map(|found| found.sentence);
        drawn.map(|text| text[FILE.len()..].to_owned()).ok_or_else(|| sentences().collect())
    }

    #[test]
    fn expressions_become_their_values() {
        let check = |body: &str, expected: &str| {
            assert_eq!(drawn(body, None).as_deref(), Ok(expected), "{body}");
        };
        check("in {{seconds}} s", "in 600 s");
        check("{{time(seconds - 30)}}", "12:09:30");
        check("{{time(-seconds)}}", "11:50:00");
        check("{{kind === \"a\" ? 'first (1)' : 2}}", "first (1)");
        check("{{ttl:60s..2h}} {{seconds / 8}}", "{{ttl:60s..2h}} 75");
        check("open {{seconds", "open {{seconds");
    }

    #[test]
    fn a_seed_always_draws_the_same_and_every_value_is_drawn() {
        let values: Vec<_> = (0..40).map(|seed| drawn("{{seconds}}", Some(seed))).collect();
        let again: Vec<_> = (0..40).map(|seed| drawn("{{seconds}}", Some(seed))).collect();
        assert_eq!(values, again);
        let count = |value: &str| values.iter().filter(|it| it.as_deref() == Ok(value)).count();
        assert!(count("600") > 10 && count("3600") > 10, "{values:?}");
    }

    #[test]
    fn an_expression_can_only_compute() {
        let check = |body: &str, expected: &str| {
            let problems = drawn(body, None).expect_err(body);
            assert!(problems[0].contains(expected), "{problems:?}");
        };
        check("{{secnds}}", "`secnds` is not in [vary]. Did you mean `seconds`?");
        check("{{[].indexOf.call()}}", "can't have `[`");
        check("{{\"a\".repeat(9)}}", "`repeat` is not in [vary]");
        check("{{9n ** 9n}}", "`9n` is not in [vary]");
        check("{{`${seconds}`}}", "can't have ``");
        check("{{while(true);}}", "`while` is not in [vary]");
        check("{{\"\\\" + \"+evil()+\" + \"}}", "can't have `\\`");
        check("{{\"open}}", "has no second `\"`");
        check("{{(time => time(time))(time)}}", "can't have `=>`");
        check("{{seconds +}}", "has no value");
    }

    #[test]
    fn only_the_front_matter_says_whether_a_file_varies() {
        assert!(varies(FILE));
        assert!(!varies("+++\ntitle = \"[vary]\"\n+++\n[vary]\n"));
    }
}
