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

/// Letters that the beginnings or the ends of two names must share.
const SHARED_MIN: usize = 4;

/// The name that is like another one: the [`nearest`], or one that begins or ends as it does, such as
/// `createdDate` and `createdAt`, or `lastSeenAt` and `seenAt`.
pub fn alike<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = |name: &str| name.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let of_name = letters(name);
    let shared = |other: &str| {
        let other = letters(other);
        let equal = |(one, other): &(&char, &char)| one == other;
        let begin = of_name.iter().zip(&other).take_while(equal).count();
        let end = of_name.iter().rev().zip(other.iter().rev()).take_while(equal).count();
        begin.max(end)
    };
    nearest(name, known).or_else(|| {
        let known = known.iter().map(|known| (shared(known), *known));
        let most = known.filter(|(shared, _)| *shared >= SHARED_MIN);
        most.max_by_key(|(shared, _)| *shared).map(|(_, known)| known)
    })
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
        for (name, like) in [
            ("createdAt", Some("createdDate")),
            ("expiry", Some("expires")),
            ("at", None),
            ("seenAt", Some("lastSeenAt")),
        ] {
            let fields = ["createdDate", "lastSeenAt", "expires", "total"];
            assert_eq!(alike(name, &fields), like, "{name}");
        }
        assert_eq!(hint("setpu", &known), "Did you mean `setup`?");
        assert_eq!(hint("x", &["a", "bcd"]), "Did you mean `a`?");
        assert_eq!(hint("xyz", &["a", "bcd"]), "Use one of: a, bcd.");
    }
}
