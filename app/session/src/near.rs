//! Suggestions for names that are not known.

/// The name that was probably meant: at most two letters differ, or one in three.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).clamp(1, 2);
    known
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Words that names of dates share and that say nothing of what happened then.
const TIME_WORDS: [&str; 14] = [
    "at",
    "date",
    "time",
    "datetime",
    "timestamp",
    "ts",
    "on",
    "utc",
    "day",
    "when",
    "dt",
    "ms",
    "is",
    "the",
];

/// Letters that the beginnings of two forms of a word share, as in `created` and `creation`.
const STEM_MIN: usize = 5;

/// The name that means the same as another one, such as `createdDate` and `createdAt`, or `lastSeenAt` and `seenAt`.
/// The same ending isn't enough: `deletedAt` means something else than `createdAt`.
pub fn alike<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let own = words(name);
    let rated = known.iter().filter_map(|candidate| {
        let other = words(candidate);
        let (few, many) = if own.len() <= other.len() { (&own, &other) } else { (&other, &own) };
        let is_in = |word: &String| many.iter().any(|other| is_same_word(word, other));
        let is_alike = match few.first() {
            Some(_) => few.iter().all(is_in),
            // Names of nothing but time.
            None => distance(name, candidate) <= 1 && name.len() >= STEM_MIN,
        };
        is_alike.then(|| ((many.len() - few.len(), distance(name, candidate)), *candidate))
    });
    rated.min_by_key(|(rating, _)| *rating).map(|(_, candidate)| candidate)
}

/// The words of a name that say more than that it is a time.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let begins = !letter.is_alphanumeric() || letter.is_uppercase() && was_small;
        if begins {
            words.push(String::new());
        }
        was_small = !letter.is_uppercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    // `createdat` has no mark between its words.
    let shorter = |word: &String| {
        let cut = ["timestamp", "date", "time", "at"].iter().find_map(|end| word.strip_suffix(end));
        cut.filter(|cut| cut.len() >= STEM_MIN).unwrap_or(word).to_owned()
    };
    let said = words.iter().filter(|word| !word.is_empty());
    said.filter(|word| !TIME_WORDS.contains(&word.as_str())).map(shorter).collect()
}

/// Whether two words are the same but for a typo or their ending.
fn is_same_word(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    let shared = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let is_stem = shared >= STEM_MIN && shared * 3 >= shorter * 2;
    is_stem || distance(one, other) <= (shorter / 4).min(2)
}

/// ` Did you mean …?`, or the whole list where nothing is near.
pub fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("Use one of: {}.", known.join(", ")),
    }
}

/// Letters to insert, remove, replace or swap with their neighbor.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().flat_map(char::to_lowercase).take(80).collect();
    let to: Vec<char> = to.chars().flat_map(char::to_lowercase).take(80).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, letter) in from.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *letter == to[column - 1] && from[row - 1] == *other {
                least = least.min(before[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        let known = ["setup", "run", "play", "solution", "traffic"];
        for (name, near) in [
            ("plai", Some("play")),
            ("paly", Some("play")),
            ("Setup", Some("setup")),
            ("solutoin", Some("solution")),
            ("rum", Some("run")),
            ("question", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, &known), near, "{name}");
        }
        assert_eq!(hint("setpu", &known), "Did you mean `setup`?");
        assert_eq!(hint("x", &["a", "bcd"]), "Did you mean `a`?");
        assert_eq!(hint("xyz", &["a", "bcd"]), "Use one of: a, bcd.");
    }

    #[test]
    fn names_that_mean_the_same() {
        for (name, other) in [
            ("createdAt", "createdDate"),
            ("createdAt", "created_at"),
            ("createdAt", "creationTime"),
            ("createdAt", "createdat"),
            ("createdAt", "craetedAt"),
            ("createdAt", "meta.createdAt"),
            ("expireAt", "expiresAt"),
            ("expiry", "expires"),
            ("expiry", "expiration"),
            ("seenAt", "lastSeenAt"),
            ("timestamp", "timeStamp"),
        ] {
            assert_eq!(alike(name, &[other]), Some(other), "{name}");
            assert_eq!(alike(other, &[name]), Some(name), "{other}");
        }
        for (name, other) in [
            ("createdDate", "birthDate"),
            ("createdAt", "deletedAt"),
            ("createdAt", "updatedAt"),
            ("seenAt", "sentAt"),
            ("paidAt", "madeAt"),
            ("at", "createdAt"),
            ("expireAt", "startAt"),
            ("date", "createdDate"),
            ("at", "ts"),
        ] {
            assert_eq!(alike(name, &[other]), None, "{name}");
            assert_eq!(alike(other, &[name]), None, "{other}");
        }
        let known = ["createdByDate", "creationDate", "createdDate"];
        assert_eq!(alike("createdAt", &known), Some("createdDate"));
    }
}
