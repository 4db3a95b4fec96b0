//! The building blocks of panels. A widget knows egui, the theme and plain values, and nothing
//! else.

pub mod anchor;
pub mod bar;
pub mod brackets;
pub mod button;
pub mod card;
pub mod cell;
pub mod chip;
pub mod code_box;
pub mod code_edit;
pub mod date_picker;
pub mod density_strip;
pub mod empty_state;
pub mod field;
pub mod figure;
pub mod first_focus;
pub mod hint;
pub mod histogram;
pub mod key_value;
pub mod learn;
pub mod log_row;
pub mod markdown;
pub mod marks;
pub mod menu;
pub mod modal;
pub mod number_field;
pub mod paint;
pub mod picture;
pub mod row_scroll;
pub mod steady;
pub mod tabs;
pub mod term;
pub mod text_area;
pub mod toast;
pub mod value;
pub mod value_text;
pub mod word_list;

pub use button::Button;
