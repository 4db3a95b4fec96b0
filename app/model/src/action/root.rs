//! The actions of the whole window.

use std::path::PathBuf;
use std::sync::Arc;

use bson::Bson;

use super::store_actions::{
    AuditAction, CalendarAction, ClockAction, ConnectAction, ListenerAction, MaintenanceAction,
    ReaperAction, SandboxAction, StoreAction, TransferAction, TrashAction,
};
use super::view_actions::{
    AggregateAction, ConvertAction, CutAction, DocumentsAction, ExpiryAction, ExplainAction,
    IndexesAction, SchemaAction,
};
use crate::guide::Place;
use crate::job::Namespace;
use crate::job::lesson::{LessonRequest, LessonSource, Tour};
use crate::state::State;
use crate::state::lesson::LessonStart;
use crate::state::lesson::catalog::SeriesKey;
use crate::state::settings::Settings;
use crate::state::tabs::ViewKind;
use crate::state::view::{Activity, Drawer, Focus};
use crate::state::{Dialog, TabId};

/// One request of the user.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Store(StoreAction),
    Connect(ConnectAction),
    Tabs(TabsAction),
    Documents(TabId, DocumentsAction),
    Aggregate(TabId, AggregateAction),
    Expiry(TabId, ExpiryAction),
    /// How the store answers the query or the pipeline of a tab.
    Explain(TabId, ExplainAction),
    Indexes(TabId, IndexesAction),
    Schema(TabId, SchemaAction),
    /// Text and numbers of a field to dates.
    Convert(ConvertAction),
    Cut(CutAction),
    Transfer(TransferAction),
    /// The store as a whole: backups and maintenance.
    Maintenance(MaintenanceAction),
    Reaper(ReaperAction),
    Listener(ListenerAction),
    /// Removed documents that can be restored.
    Trash(TrashAction),
    Audit(AuditAction),
    Calendar(CalendarAction),
    Sandbox(SandboxAction),
    Lesson(LessonAction),
    Clock(ClockAction),
    Console(ConsoleAction),
    /// The open parts of the window, and its look.
    View(ViewAction),
    Dialog(DialogAction),
    /// Closes the open dialog and does what its button says.
    Confirm(Box<Action>),
}

/// Actions on tabs.
#[derive(Debug, Clone, PartialEq)]
pub enum TabsAction {
    /// Shows a collection, in a new tab if it has none.
    Show(Namespace),
    ShowView(Namespace, ViewKind),
    Activate(TabId),
    Close(TabId),
    /// Closes every tab but one.
    CloseOthers(TabId),
    /// Opens the tab that was closed last.
    Reopen,
    /// Shows the next tab, or the one before.
    Step {
        forward: bool,
    },
    /// Shows a view of the tab that is shown.
    View(ViewKind),
    Focus(Focus),
}

/// Actions on the look of the window.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewAction {
    /// The settings after a choice: [`ViewAction::choose`] makes them of the present ones.
    SetSettings(Box<Settings>),
    SetZoom(f32),
    /// Presents the view, or shows it again with the panels around it.
    Present(bool),
    /// Shows the start page, or the collection again.
    ShowStart(bool),
    /// Opens or closes the palette.
    SetPalette(bool),
    ChooseInPalette(usize),
    /// Notes that an entry was used, by its label: the palette lists it first next time.
    NoteCommand(&'static str),
    /// Shows the callouts of the Expiry view from the first on.
    ShowCallouts,
    NextCallout,
    /// Takes the callouts away, until the user asks for them again.
    EndCallouts,
    ClearMessages,
    /// Opens or closes the sidebar.
    SetSidebar(bool),
    /// Opens or closes the inspector.
    SetInspector(bool),
    /// Opens a drawer, or closes it.
    SetDrawer(Option<Drawer>),
    /// Opens the Activity drawer with this filter.
    ShowActivity(Activity),
    ClearCommands,
    ClearOperations,
    Cancel(crate::state::operations::OperationId),
    /// Pauses an operation, or lets it continue.
    Pause(crate::state::operations::OperationId),
    Dismiss(u64),
    /// The place that the keyboard was sent to has it.
    Focused,
    /// Opens the guide at a place, or closes it.
    ShowGuide(Option<Place>),
    /// Opens the guide at a place, with a link to the lesson of a slug.
    ShowHelp(Place, &'static str),
    Copy(String),
    /// Copies what is laid out on lines.
    CopyLines(String),
    Quit,
    /// Quits although typed text is lost.
    DiscardAndQuit,
}

impl ViewAction {
    /// The choice of one setting.
    pub fn choose(state: &State, choice: impl FnOnce(&mut Settings)) -> Action {
        let mut settings = state.settings.clone();
        choice(&mut settings);
        Action::View(Self::SetSettings(Box::new(settings)))
    }
}

/// Actions on dialogs.
#[derive(Debug, Clone, PartialEq)]
pub enum DialogAction {
    /// Opens a dialog, or queues it after the open one.
    Show(Dialog),
    /// Opens one at once; the open one comes back when it is closed.
    ShowBefore(Dialog),
    Close,
}

/// Actions of the console.
#[derive(Debug, Clone, PartialEq)]
pub enum ConsoleAction {
    /// Shows it and sends the keyboard to it.
    Open,
    /// Shows it with this input, which is not run.
    Insert(String),
    Run(String),
    /// Asks what the word at the end of this text may become.
    Complete(String),
    Stop,
    Clear,
    /// Shows all lines of an entry of the transcript.
    Unfold(u64),
}

/// Actions on lessons.
#[derive(Debug, Clone, PartialEq)]
pub enum LessonAction {
    /// Shows the Lessons page, or the collection again.
    ShowPage(bool),
    Reload,
    Open(LessonSource),
    OpenAt(LessonStart),
    /// Begins a run sheet in front of a room.
    Lead(Arc<Tour>),
    /// Begins a tour, such as questions to repeat.
    Begin(Arc<Tour>),
    /// Shows the end of a series on the Lessons page.
    ShowSummary(SeriesKey),
    /// Draws an exam and shows it on the Lessons page.
    TakeExam,
    /// Shows the exam that was drawn last.
    ShowExam,
    /// Answers the open question of the exam.
    AnswerExam(usize),
    /// Opens the next question, or the one before.
    StepExam {
        is_forward: bool,
    },
    /// Searches the list.
    Search(String),
    /// Adds a lesson file or a course folder to the list.
    Add(PathBuf),
    /// Adds the files dropped on the window, or imports them if they are neither lessons nor
    /// courses.
    AddDropped(Vec<PathBuf>),
    /// Opens a lesson file in the program that the system has for it.
    OpenFile(PathBuf),
    /// Ends the lesson; the list or the collection before it is shown again.
    Close,
    Request(LessonRequest),
    /// Opens the next card; after the last one, the next lesson or the end of the series.
    Next,
    Back,
    /// Presses the button of the next block.
    RunNext,
    Lock(usize),
    /// A number, as it is typed.
    SetCount(usize, String),
    /// Chooses a document for a question, or no longer.
    ToggleDocument(Bson),
    /// Moves the pin to an instant, in milliseconds since 1970.
    SetPin(i64),
    /// The time of the pin, as it is typed.
    TypePin(String),
    ShowSolution(usize),
    /// Opens the count of hands for a question, or closes it.
    CountHands(Option<usize>),
    SetHands {
        choice: usize,
        hands: u32,
    },
    /// Sets the seconds of the first TTL index of a collection.
    SetTtl(Namespace, i64),
    Follow(String),
    Step,
    /// Moves a card that is higher than the screen up.
    Page,
    /// One press of the presenter to go back.
    StepBack,
    Mark(usize),
    /// Makes the screen black, or shows it again.
    Black,
    /// Shows the presenter's notes, or hides them.
    Notes,
    /// Copies the open collection into a sandbox.
    Sandbox,
    /// Writes the sandbox as a lesson, as the open dialog says.
    Save,
    Handout(PathBuf),
}
