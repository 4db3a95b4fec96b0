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

/// The widest tooltip that explains words.
pub const TOOLTIP: f32 = 320.0;

/// The height of a row in a list.
pub const ROW: f32 = 32.0;
/// The same where rows are compact.
pub const ROW_COMPACT: f32 = 24.0;
/// The room below the last row of a table.
pub const TABLE_FOOT: f32 = 12.0;
/// The width over which a table fades where it is cut off.
pub const FADE: f32 = 16.0;
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
/// The width of the bar at the top with everything in it.
pub const TOP_BAR_ALL: f32 = 952.0;
/// From here on the bar of simulated time has a button for each speed.
pub const TIME_BAR_WIDE: f32 = 1_230.0;
/// Below this height of the window it has no room above and below its controls.
pub const TIME_BAR_LOW: f32 = 560.0;
/// The width that its words save in a lesson, where the banner has them.
pub const TIME_BAR_WORDS: f32 = 420.0;
/// From here on it also has the period and the button that runs a pass.
pub const TIME_BAR_MIDDLE: f32 = 960.0;
/// The width that it needs more while the listener is on.
pub const TOP_BAR_LISTENER: f32 = 125.0;
/// The width that it saves when the buttons of the palette and of the lessons are icons.
pub const TOP_BAR_WORDS: f32 = 176.0;
/// The width that it saves without the names of the program and the store.
pub const TOP_BAR_NAMES: f32 = 164.0;
/// The height of the line at the bottom.
pub const STATUS_BAR: f32 = 28.0;
/// The height of the strip of collection tabs.
pub const TAB_STRIP: f32 = 38.0;
/// The height of the strip of views of one collection.
pub const VIEW_STRIP: f32 = 42.0;
/// The height of the strip of drawer tabs.
pub const DRAWER_STRIP: f32 = 32.0;
/// From this width on the tabs of the drawer are apart as the views are.
pub const DRAWER_STRIP_WIDE: f32 = 600.0;
/// The widest a collection's tab gets before its name is cut.
pub const TAB_WIDTH_MAX: f32 = 220.0;

/// The highest list in a menu before it scrolls.
pub const MENU_LIST_MAX: f32 = 420.0;

/// The names of the settings.
pub const SETTING_NAME: f32 = 110.0;

/// The start page: the widest.
pub const START_PAGE: f32 = 660.0;
/// The room that its cards need next to one another.
pub const START_CARDS: f32 = 520.0;
/// The height of a card in a row.
pub const START_CARD: f32 = 168.0;
/// The height of a card in a column.
pub const START_CARD_LOW: f32 = 76.0;

/// The banner of a lesson: height.
pub const LESSON_BANNER: f32 = 40.0;
/// From here on its buttons have words.
pub const LESSON_BANNER_WIDE: f32 = 1_180.0;
/// The card of a lesson: first width.
pub const LESSON_CARD: f32 = 432.0;
/// The narrowest card of a lesson.
pub const LESSON_CARD_MIN: f32 = 280.0;
/// The window with the presenter's notes.
pub const NOTES: [f32; 2] = [480.0, 560.0];
/// The height of the line with the buttons that open the next card and the last one.
pub const LESSON_FOOTER: f32 = 52.0;

/// The store of a line in the Activity drawer, where there are several.
pub const COMMAND_STORE: f32 = 120.0;
/// The sidebar: first width and bounds.
pub const SIDEBAR: f32 = 240.0;
/// The narrowest sidebar.
pub const SIDEBAR_MIN: f32 = 180.0;
/// The widest sidebar.
pub const SIDEBAR_MAX: f32 = 420.0;
/// The inspector: first width. An `ObjectId(…)` fits on one line, and in the first window the
/// Documents view next to it has all of its controls on one.
pub const INSPECTOR: f32 = 316.0;
/// The narrowest inspector.
pub const INSPECTOR_MIN: f32 = 220.0;
/// The widest inspector.
pub const INSPECTOR_MAX: f32 = 560.0;
/// A view next to the inspector is at least this wide, or there is no inspector.
pub const VIEW_MIN: f32 = 440.0;
/// The drawer: first height.
pub const DRAWER: f32 = 112.0;
/// The drawer with the console: the lowest first height.
pub const CONSOLE_MIN: f32 = 220.0;
/// The drawer with the console: the highest first height.
pub const CONSOLE_MAX: f32 = 300.0;
/// Its first height, as a share of the window's.
pub const CONSOLE_SHARE: f32 = 0.36;
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
/// A dialog with a list at the left, as far as the window has room for it.
pub const DIALOG_COLUMNS: f32 = 1_000.0;
/// The files at the left of an import.
pub const IMPORT_FILES: f32 = 290.0;
/// The list at the left of the guide.
pub const GUIDE_LIST: f32 = 220.0;
/// The width of the calendar, as far as the window has it.
pub const DIALOG_CALENDAR: f32 = 1_180.0;
/// A window lower than this is that of a presentation: a dialog leaves little room around it.
pub const DIALOG_LOW: f32 = 440.0;
/// The command palette: width.
pub const PALETTE: f32 = 600.0;
/// The command palette: how far below the top of the window.
pub const PALETTE_TOP: f32 = 84.0;
/// The command palette: the tallest list.
pub const PALETTE_LIST: f32 = 380.0;
/// A message in the corner: width.
pub const TOAST: f32 = 380.0;
/// The least width of a message next to a dialog.
pub const TOAST_NARROW: f32 = 220.0;
/// The widest tooltip that shows a value.
pub const TOOLTIP_VALUE: f32 = 520.0;
/// The widest text of an empty state.
pub const EMPTY_TEXT: f32 = 420.0;
/// The picture of an empty state: width and height.
pub const EMPTY_PICTURE: f32 = 132.0;
/// The smallest window.
pub const WINDOW_MIN: [f32; 2] = [760.0, 480.0];
/// The first window.
pub const WINDOW: [f32; 2] = [1280.0, 800.0];

/// The height of a document's lane on the time axis.
pub const LANE: f32 = 31.0;
/// The same in a presentation: 48 pixels at its zoom.
pub const LANE_PRESENTED: f32 = 24.0;
/// The height of a presentation's line with the collection and the clock.
pub const PRESENTED_TITLE: f32 = 30.0;
/// The height of a presentation's lines that say what is shown, and how the clock is moved.
pub const PRESENTED_LINE: f32 = 22.0;
/// The radius of the ring around the pointer of a presentation.
pub const HALO: f32 = 22.0;
/// The thickness of that ring.
pub const HALO_RING: f32 = 2.0;
/// The thickness of a lane's bar.
pub const LANE_BAR: f32 = 10.0;
/// The radius of the knob at a threshold.
pub const LANE_KNOB: f32 = 5.5;
/// The distance of the stripes of overdue time.
pub const HATCH_STEP: f32 = 7.0;
/// The height of the density in a preview.
pub const DENSITY: f32 = 54.0;
/// The height of the density above the lanes of the timeline.
pub const DENSITY_STRIP: f32 = 28.0;
/// The column of names at the left of the lanes.
pub const LANE_NAME: f32 = 168.0;
/// The room right of the axis for the digits of a knob at its end.
pub const LANE_DIGITS: f32 = 92.0;
/// The height of the axis line below the lanes.
pub const AXIS: f32 = 28.0;
/// The height of the legend below the axis line.
pub const LEGEND: f32 = 20.0;
/// The mark of one of several TTL indexes: a square.
pub const INDEX_MARK: f32 = 16.0;
/// Its corners.
pub const INDEX_MARK_RADIUS: f32 = 4.0;
/// The least distance of two ticks on the axis.
pub const TICK_DISTANCE: f32 = 80.0;
/// The room that the controls of the axis need for their words.
pub const SPAN_CONTROLS: f32 = 340.0;
/// The room that the controls above the time axis need in one line, without those of the axis.
pub const EXPIRY_CONTROLS: f32 = 560.0;
/// The room that the chips of the totals need in the line of the controls.
pub const EXPIRY_CHIPS: f32 = 430.0;
/// The room that the controls of the axis need at least.
pub const SPAN_CONTROLS_MIN: f32 = 180.0;
/// The dashes of the line at the next pass.
pub const DASH: f32 = 4.0;
/// Points of the wheel that double or halve the time on screen, roughly.
pub const WHEEL_ZOOM: f32 = 240.0;

/// A column of a table.
pub const COLUMN: f32 = 160.0;
/// A column that holds sentences.
pub const COLUMN_WIDE: f32 = 250.0;
/// A column that holds a date with its time.
pub const COLUMN_DATE: f32 = 196.0;
/// A column that holds a span of time.
pub const COLUMN_SHORT: f32 = 120.0;
/// A column that says how long something is overdue, in digits and a word.
pub const COLUMN_REMAINING: f32 = 160.0;
/// The narrowest column.
pub const COLUMN_MIN: f32 = 70.0;
/// A column of figures.
pub const COLUMN_NUMBER: f32 = 84.0;
/// The column of buttons at the end of a row.
pub const COLUMN_ACTIONS: f32 = 150.0;
/// The room that a table of indexes needs for all its figures.
pub const INDEXES_ALL: f32 = 920.0;
/// The room that it needs for the count of entries.
pub const INDEXES_ENTRIES: f32 = 740.0;
/// The height of a row with buttons.
pub const ROW_TABLE: f32 = 40.0;

/// The slider of a TTL with the marks below it.
pub const SLIDER: f32 = 42.0;
/// The thickness of the slider's track.
pub const SLIDER_TRACK: f32 = 6.0;
/// The radius of the slider's knob.
pub const SLIDER_KNOB: f32 = 8.0;
/// The space that a field leaves for the buttons after it.
pub const FIELD_BUTTONS: f32 = 320.0;
/// The widest column of the Lessons page.
pub const LESSONS_COLUMN: f32 = 720.0;
/// The widest list whose rows are read from end to end: the eye loses a longer row.
pub const LIST_MAX: f32 = 1_400.0;
/// From here on the fields of a schema have a column with their distinct values.
pub const SCHEMA_WIDE: f32 = 700.0;
/// From here on they have one that says how many documents have them.
pub const SCHEMA_MIDDLE: f32 = 560.0;
/// The types of a field: first width.
pub const SCHEMA_TYPES: f32 = 190.0;
/// How far inner fields are to the right of what they are in.
pub const SCHEMA_INDENT: f32 = 16.0;
/// The chart in a row of a schema.
pub const SCHEMA_SPARK: [f32; 2] = [120.0, 24.0];
/// The chart of a field.
pub const SCHEMA_CHART: f32 = 72.0;
/// A chart by hour or weekday.
pub const SCHEMA_CHART_LOW: f32 = 36.0;
