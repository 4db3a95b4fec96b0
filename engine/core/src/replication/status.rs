//! A member's view of its set. The program that runs the members sends it to each of them.

/// The state of a member as the others see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberState {
    /// It accepts writes.
    Primary,
    /// It applies the primary's oplog.
    Secondary,
    /// It is stopped.
    Down,
}

/// One member as the set sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberStatus {
    /// Its host name.
    pub name: String,
    /// Its state.
    pub state: MemberState,
    /// The position of its newest oplog entry.
    pub position: u64,
    /// When that entry was written, in milliseconds since 1970; 0 without one.
    pub optime_ms: i64,
}

/// A set as one of its members sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetStatus {
    /// The name of the set.
    pub name: String,
    /// The name of this member.
    pub me: String,
    /// All members, in order of configuration.
    pub members: Vec<MemberStatus>,
}

impl MemberState {
    /// MongoDB's number for it.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Primary => 1,
            Self::Secondary => 2,
            Self::Down => 8,
        }
    }

    /// MongoDB's name for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "PRIMARY",
            Self::Secondary => "SECONDARY",
            Self::Down => "(not reachable/healthy)",
        }
    }
}

impl SetStatus {
    /// The name of the primary, if there is one.
    pub fn primary(&self) -> Option<&str> {
        let mut members = self.members.iter();
        let primary = members.find(|member| member.state == MemberState::Primary);
        primary.map(|member| member.name.as_str())
    }
}
