//! A whole number with a unit of time, as typed.

use mayfly_engine::value::named;

named! {
    /// Units of time.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Unit {
        #[default]
        Seconds => "seconds",
        Minutes => "minutes",
        Hours => "hours",
        Days => "days",
    }
    /// The word for it.
    pub fn label;
}

impl Unit {
    /// How many seconds it has.
    #[must_use]
    pub fn secs(self) -> i64 {
        match self {
            Self::Seconds => 1,
            Self::Minutes => 60,
            Self::Hours => 3_600,
            Self::Days => 86_400,
        }
    }

    /// The longest unit that divides `secs`, and how many of it there are.
    pub fn fitting(secs: i64) -> (i64, Self) {
        let fits = |unit: &Self| secs != 0 && secs % unit.secs() == 0;
        let unit = Self::ALL.into_iter().rev().find(fits).unwrap_or_default();
        (secs / unit.secs(), unit)
    }
}

/// A number and a unit, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumberDraft {
    pub text: String,
    pub unit: Unit,
}

impl NumberDraft {
    pub fn from_secs(secs: i64) -> Self {
        let (number, unit) = Unit::fitting(secs);
        Self { text: number.to_string(), unit }
    }

    /// Whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The seconds of the draft.
    ///
    /// # Errors
    /// One sentence: nothing was typed, it is not a whole number, or it is outside `range`.
    pub fn secs(&self, range: std::ops::RangeInclusive<i64>) -> Result<i64, String> {
        let text: String = self.text.chars().filter(|c| !matches!(c, ' ' | ',' | '_')).collect();
        if text.is_empty() {
            return Err("Enter a number; 0 expires documents at the stored time".to_owned());
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("{} is not a whole number", self.text.trim()));
        }
        let number: Option<i64> = text.parse().ok();
        let secs = number.and_then(|number| number.checked_mul(self.unit.secs()));
        let secs = secs.filter(|secs| range.contains(secs));
        secs.ok_or_else(|| format!("Must be from {} to {} seconds", range.start(), range.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_become_seconds() {
        let check = |text: &str, unit, expected: Option<i64>| {
            let draft = NumberDraft { text: text.to_owned(), unit };
            assert_eq!(draft.secs(0..=2_147_483_647).ok(), expected, "{text} {unit:?}");
        };
        check("100", Unit::Seconds, Some(100));
        check(" 10 ", Unit::Minutes, Some(600));
        check("1,000", Unit::Seconds, Some(1_000));
        check("0", Unit::Days, Some(0));
        check("", Unit::Seconds, None);
        check("ten", Unit::Seconds, None);
        check("1.5", Unit::Hours, None);
        check("-1", Unit::Seconds, None);
        check("99999999999999999999", Unit::Days, None);
        let large = NumberDraft { text: "99999999999999999999".to_owned(), unit: Unit::Seconds };
        assert_eq!(large.secs(0..=9), Err("Must be from 0 to 9 seconds".to_owned()));
        check("9223372036854775807", Unit::Days, None);
    }

    #[test]
    fn seconds_become_the_longest_unit() {
        let check = |secs, number, unit| assert_eq!(Unit::fitting(secs), (number, unit));
        check(600, 10, Unit::Minutes);
        check(0, 0, Unit::Seconds);
        check(86_400, 1, Unit::Days);
        check(90, 90, Unit::Seconds);
    }
}
