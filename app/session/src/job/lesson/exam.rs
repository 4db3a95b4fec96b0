//! The exam: a question for each rule, with other numbers each time.

/// An exam that was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExamSheet {
    /// The same seed gives the same exam.
    pub seed: u64,
    pub questions: Vec<ExamQuestion>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExamQuestion {
    /// The rule that it is about, shown with the result only.
    pub rule: String,
    /// The facts of the question, as Markdown.
    pub given: String,
    pub text: String,
    /// The choices, shuffled.
    pub choices: Vec<ExamChoice>,
    /// The index of the choice that the engine found to be true.
    pub right: usize,
    /// The slug of the lesson that teaches the rule.
    pub lesson: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExamChoice {
    pub text: String,
    /// Why it is true or not.
    pub because: String,
}
