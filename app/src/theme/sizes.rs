//! Every size, in points, by meaning. The grid is 4 points.

/// The smallest gap: between a glyph and its word.
pub const GAP_TINY: f32 = 4.0;
/// Between things that belong together.
pub const GAP_SMALL: f32 = 8.0;
/// Between groups; the padding of a card.
pub const GAP: f32 = 12.0;
/// The padding of a panel.
pub const GAP_LARGE: f32 = 16.0;
/// The padding of a dialog; between sections.
pub const GAP_HUGE: f32 = 24.0;

/// A hairline.
pub const LINE: f32 = 1.0;
/// The line under the chosen tab, the frame around the window while time is simulated.
pub const LINE_STRONG: f32 = 2.0;
/// The bar at the left of the selected row.
pub const LINE_SELECTED: f32 = 3.0;

/// Corners of buttons and fields.
pub const RADIUS_BUTTON: f32 = 7.0;
/// Corners of cards.
pub const RADIUS_CARD: f32 = 9.0;
/// Corners of dialogs.
pub const RADIUS_DIALOG: f32 = 12.0;

/// The height of a row in a list.
pub const ROW: f32 = 32.0;
/// The height of a row in a drawer of small monospaced text.
pub const ROW_DENSE: f32 = 22.0;
/// The height of a sidebar row that carries a second line.
pub const ROW_DOUBLE: f32 = 48.0;
/// The height of a button or a one-line field.
pub const CONTROL: f32 = 30.0;
/// The height of a small button.
pub const CONTROL_SMALL: f32 = 24.0;
/// The padding left and right of a button's label.
pub const CONTROL_PADDING: f32 = 12.0;

/// The height of the bar at the top.
pub const TOP_BAR: f32 = 48.0;
/// The height of the line at the bottom.
pub const STATUS_BAR: f32 = 28.0;
/// The height of the strip of collection tabs.
pub const TAB_STRIP: f32 = 38.0;
/// The height of the strip of views of one collection.
pub const VIEW_STRIP: f32 = 42.0;
/// The height of the strip of drawer tabs.
pub const DRAWER_STRIP: f32 = 32.0;
/// The widest a collection's tab gets before its name is cut.
pub const TAB_WIDTH_MAX: f32 = 220.0;

/// The sidebar: first width and bounds.
pub const SIDEBAR: f32 = 240.0;
/// The narrowest sidebar.
pub const SIDEBAR_MIN: f32 = 180.0;
/// The widest sidebar.
pub const SIDEBAR_MAX: f32 = 420.0;
/// The inspector: first width.
pub const INSPECTOR: f32 = 300.0;
/// The narrowest inspector.
pub const INSPECTOR_MIN: f32 = 220.0;
/// The widest inspector.
pub const INSPECTOR_MAX: f32 = 560.0;
/// The drawer: first height.
pub const DRAWER: f32 = 152.0;
/// The lowest drawer.
pub const DRAWER_MIN: f32 = 96.0;
/// The highest drawer.
pub const DRAWER_MAX: f32 = 520.0;

/// The density strip of a sidebar row: width.
pub const STRIP_WIDTH: f32 = 96.0;
/// The density strip of a sidebar row: height.
pub const STRIP_HEIGHT: f32 = 14.0;
/// The gap between two bars of a density strip.
pub const STRIP_GAP: f32 = 2.0;

/// A narrow dialog: one question.
pub const DIALOG_NARROW: f32 = 440.0;
/// A dialog with a form.
pub const DIALOG: f32 = 620.0;
/// A dialog with a preview or a list.
pub const DIALOG_WIDE: f32 = 820.0;
/// The command palette: width.
pub const PALETTE: f32 = 600.0;
/// The command palette: how far below the top of the window.
pub const PALETTE_TOP: f32 = 84.0;
/// The command palette: the tallest list.
pub const PALETTE_LIST: f32 = 380.0;
/// A message in the corner: width.
pub const TOAST: f32 = 380.0;
/// The widest text of an empty state.
pub const EMPTY_TEXT: f32 = 420.0;
/// The picture of an empty state: width and height.
pub const EMPTY_PICTURE: f32 = 132.0;
/// The smallest window.
pub const WINDOW_MIN: [f32; 2] = [760.0, 480.0];
/// The first window.
pub const WINDOW: [f32; 2] = [1280.0, 800.0];
