//! The two typefaces and the icon font. One function installs them, in the program and in tests.

use std::sync::Arc;

use egui::{Context, FontData, FontDefinitions, FontFamily};

/// Inter in medium weight.
pub const SANS_MEDIUM: &str = "Inter Medium";
/// Inter in semi-bold weight.
pub const SANS_SEMIBOLD: &str = "Inter SemiBold";
/// JetBrains Mono in medium weight.
pub const MONO_MEDIUM: &str = "JetBrains Mono Medium";

const SANS: &str = "Inter";
const MONO: &str = "JetBrains Mono";

/// Installs Inter, JetBrains Mono and the icons. What they lack comes from egui's own fonts and,
/// in the program, from the system's.
pub fn install_fonts(context: &Context) {
    let mut fonts = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8]| {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    };
    add(SANS, include_bytes!("../../../assets/fonts/Inter-Regular.otf"));
    add(SANS_MEDIUM, include_bytes!("../../../assets/fonts/Inter-Medium.otf"));
    add(SANS_SEMIBOLD, include_bytes!("../../../assets/fonts/Inter-SemiBold.otf"));
    add(MONO, include_bytes!("../../../assets/fonts/JetBrainsMono-Regular.ttf"));
    add(MONO_MEDIUM, include_bytes!("../../../assets/fonts/JetBrainsMono-Medium.ttf"));

    let icons = egui_material_icons::font_insert();
    let icon_family = icons.name.clone();
    fonts.font_data.insert(icons.name, Arc::new(icons.data));
    for family in icons.families {
        fonts.families.entry(family.family).or_default().push(icon_family.clone());
    }

    let sans = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let mono = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    let mut family = |key: FontFamily, first: &str, rest: &[String]| {
        let mut names = vec![first.to_owned()];
        names.extend(rest.iter().cloned());
        fonts.families.insert(key, names);
    };
    family(FontFamily::Proportional, SANS, &sans);
    family(FontFamily::Name(SANS_MEDIUM.into()), SANS_MEDIUM, &sans);
    family(FontFamily::Name(SANS_SEMIBOLD.into()), SANS_SEMIBOLD, &sans);
    // Characters that the monospaced face lacks come from the proportional one.
    let both: Vec<String> = mono.iter().chain([&SANS.to_owned()]).chain(&sans).cloned().collect();
    family(FontFamily::Monospace, MONO, &both);
    family(FontFamily::Name(MONO_MEDIUM.into()), MONO_MEDIUM, &both);
    context.set_fonts(fonts);
}
