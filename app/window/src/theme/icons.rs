//! The one icon set. Nothing else names the crate it comes from.
//!
//! An icon is a glyph without a word: whatever carries one also carries an accessible name, and the
//! name never holds the glyph.

use egui::{FontId, RichText};
use egui_material_icons::{MaterialIcon, icons as set};

/// Every icon of the window, by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each name says what the icon means")]
pub enum Icon {
    Add,
    Back,
    Calendar,
    Cancel,
    Chart,
    Check,
    Close,
    Collection,
    Copy,
    Dark,
    Database,
    Down,
    Drag,
    Drawer,
    Drop,
    Edit,
    Error,
    Expand,
    Explain,
    Export,
    Filter,
    First,
    Follow,
    Help,
    Hidden,
    History,
    Import,
    Info,
    Inspector,
    Last,
    Less,
    Lessons,
    Light,
    List,
    Lock,
    More,
    NextPass,
    Open,
    Order,
    Pause,
    Play,
    Plus,
    Previous,
    Json,
    Refresh,
    Run,
    Save,
    Search,
    Server,
    Shortcuts,
    Simulated,
    Sort,
    Star,
    Step,
    StepSecond,
    Stop,
    System,
    Table,
    Terminal,
    Timer,
    Undo,
    Unfolded,
    Up,
    Visible,
    Wait,
    Warning,
}

impl Icon {
    /// The icon as text in the icon font, at the size of icons next to body text.
    #[must_use]
    pub fn text(self) -> RichText {
        self.sized(super::text::ICON)
    }

    /// The icon as text in the icon font.
    #[must_use]
    pub fn sized(self, size: f32) -> RichText {
        RichText::new(self.glyph()).font(self.font(size))
    }

    /// The font that holds the icon.
    #[must_use]
    pub fn font(self, size: f32) -> FontId {
        FontId::new(size, self.material().font_family())
    }

    /// The character of the icon in its font.
    #[must_use]
    pub fn glyph(self) -> &'static str {
        self.material().codepoint
    }

    fn material(self) -> MaterialIcon {
        match self {
            Self::Add | Self::Plus => set::ICON_ADD,
            Self::Back => set::ICON_ARROW_BACK,
            Self::Calendar => set::ICON_CALENDAR_MONTH,
            Self::Cancel => set::ICON_CANCEL,
            Self::Chart => set::ICON_BAR_CHART,
            Self::Check => set::ICON_CHECK,
            Self::Close => set::ICON_CLOSE,
            Self::Collection => set::ICON_DESCRIPTION,
            Self::Copy => set::ICON_CONTENT_COPY,
            Self::Dark => set::ICON_DARK_MODE,
            Self::Database => set::ICON_DATABASE,
            Self::Down => set::ICON_ARROW_DOWNWARD,
            Self::Drag => set::ICON_DRAG_INDICATOR,
            Self::Drawer => set::ICON_BOTTOM_PANEL_OPEN,
            Self::Drop => set::ICON_DELETE,
            Self::Edit => set::ICON_EDIT,
            Self::Error => set::ICON_ERROR,
            Self::Expand => set::ICON_CHEVRON_RIGHT,
            Self::Explain => set::ICON_ACCOUNT_TREE,
            Self::Export => set::ICON_DOWNLOAD,
            Self::Filter => set::ICON_FILTER_LIST,
            Self::First => set::ICON_KEYBOARD_DOUBLE_ARROW_LEFT,
            Self::Follow => set::ICON_MY_LOCATION,
            Self::Help => set::ICON_HELP,
            Self::Hidden => set::ICON_VISIBILITY_OFF,
            Self::History => set::ICON_HISTORY,
            Self::Import => set::ICON_UPLOAD,
            Self::Info => set::ICON_INFO,
            Self::Inspector => set::ICON_RIGHT_PANEL_OPEN,
            Self::Last => set::ICON_KEYBOARD_DOUBLE_ARROW_RIGHT,
            Self::Less => set::ICON_REMOVE,
            Self::Lessons => set::ICON_SCHOOL,
            Self::Light => set::ICON_LIGHT_MODE,
            Self::List => set::ICON_VIEW_LIST,
            Self::Lock => set::ICON_LOCK,
            Self::More => set::ICON_MORE_HORIZ,
            Self::NextPass => set::ICON_KEYBOARD_TAB,
            Self::Open => set::ICON_FOLDER_OPEN,
            Self::Order => set::ICON_SWAP_VERT,
            Self::Pause => set::ICON_PAUSE,
            Self::Play => set::ICON_PLAY_ARROW,
            Self::Previous => set::ICON_CHEVRON_LEFT,
            Self::Json => set::ICON_DATA_OBJECT,
            Self::Refresh => set::ICON_REFRESH,
            Self::Run => set::ICON_BOLT,
            Self::Save => set::ICON_SAVE,
            Self::Search => set::ICON_SEARCH,
            Self::Server => set::ICON_DNS,
            Self::Shortcuts => set::ICON_KEYBOARD,
            Self::Simulated => set::ICON_FAST_FORWARD,
            Self::Sort => set::ICON_SORT,
            Self::Star => set::ICON_STAR,
            Self::Step => set::ICON_SKIP_NEXT,
            Self::StepSecond => set::ICON_STEP,
            Self::Stop => set::ICON_STOP,
            Self::System => set::ICON_CONTRAST,
            Self::Table => set::ICON_TABLE,
            Self::Terminal => set::ICON_TERMINAL,
            Self::Timer => set::ICON_TIMER,
            Self::Undo => set::ICON_UNDO,
            Self::Unfolded => set::ICON_EXPAND_MORE,
            Self::Up => set::ICON_ARROW_UPWARD,
            Self::Visible => set::ICON_VISIBILITY,
            Self::Wait => set::ICON_HOURGLASS_EMPTY,
            Self::Warning => set::ICON_WARNING,
        }
    }
}
