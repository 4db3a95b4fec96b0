//! The actions of questions and messages.

use super::{
    Action, ConnectAction, DocumentsAction, IndexesAction, LessonAction, ReaperAction,
    SandboxAction, StoreAction, TransferAction, TrashAction, ViewAction,
};
use crate::job::lesson::LessonSource;
use crate::state::offer::Offer;

impl From<Offer> for Action {
    fn from(offer: Offer) -> Self {
        match offer {
            Offer::SetArchive(of, command) => Self::Trash(TrashAction::SetArchive(of, *command)),
            Offer::DiscardTrash(scope) => Self::Trash(TrashAction::Discard(scope)),
            Offer::ResumeMonitor => Self::Reaper(ReaperAction::Resume),
            Offer::RemoveHeld => Self::Reaper(ReaperAction::DeleteHeld),
            Offer::Unlock => Self::Connect(ConnectAction::Unlock),
            Offer::AskUnlock => Self::Connect(ConnectAction::AskUnlock),
            Offer::SendIndex(tab) => Self::Indexes(tab, IndexesAction::Send),
            Offer::StartRollout(tab) => Self::Indexes(tab, IndexesAction::StartRollout),
            Offer::Recreate(tab, index) => Self::Indexes(tab, IndexesAction::Recreate(index)),
            Offer::StartImport => Self::Transfer(TransferAction::StartImport),
            Offer::StartDump => Self::Transfer(TransferAction::StartDump),
            Offer::ChangeMany(tab, change) => Self::Documents(tab, DocumentsAction::Change(change)),
            Offer::RunPass => Self::Reaper(ReaperAction::RunNow),
            Offer::CreateStore(folder) => Self::Store(StoreAction::CreateStore(folder)),
            Offer::ForgetStore(folder) => Self::Store(StoreAction::ForgetRecent(folder)),
            Offer::Undo(tab) => Self::Documents(tab, DocumentsAction::Undo),
            Offer::SkipUndo(tab) => Self::Documents(tab, DocumentsAction::SkipUndo),
            Offer::SkipRedo(tab) => Self::Documents(tab, DocumentsAction::SkipRedo),
            Offer::ShowResult(operation) => Self::Transfer(TransferAction::ShowResult(operation)),
            Offer::CopyToSandbox(namespace) => Self::Sandbox(SandboxAction::CopyNow(namespace)),
            Offer::OpenLesson(file) => Self::Lesson(LessonAction::Open(LessonSource::File(file))),
            Offer::DiscardAndQuit => Self::View(ViewAction::DiscardAndQuit),
            Offer::Copy(text) => Self::View(ViewAction::Copy(text)),
        }
    }
}
