//! The two typefaces and the icon font. One function installs them, in the program and in tests.

use std::sync::Arc;

use egui::{
    Context, FallbackRequest, FontData, FontDefinitions, FontFamily, FontInsert, FontProvider,
};

/// Inter in medium weight.
pub const SANS_MEDIUM: &str = "Inter Medium";
/// Inter in semi-bold weight.
pub const SANS_SEMIBOLD: &str = "Inter SemiBold";
/// JetBrains Mono in medium weight.
pub const MONO_MEDIUM: &str = "JetBrains Mono Medium";

const SANS: &str = "Inter";
const MONO: &str = "JetBrains Mono";

/// Subsets for the sample data, which has names in Chinese, Japanese and Arabic: what a system
/// without fonts for these scripts would show as empty boxes.
const SAMPLES: [(&str, &[u8]); 2] = [
    ("Noto Sans CJK", include_bytes!("../../../../assets/fonts/NotoSansCJK-Sample.otf")),
    ("Noto Sans Arabic", include_bytes!("../../../../assets/fonts/NotoSansArabic-Letters.ttf")),
];

/// The characters of the first subset.
const SAMPLE_CJK: &str =
    "おくさしたまられをスドパワー京佐健北台大小忘明東橋王玲申美茶藤请货退阪陳高";

/// Hands out [`SAMPLES`]. The system's fonts are asked before, because a subset must not draw some
/// characters of a text and another face the rest.
struct SampleFonts;

impl FontProvider for SampleFonts {
    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        let first = request.cluster.chars().next()?;
        let (name, bytes) = match first {
            '\u{600}'..='\u{6ff}' => SAMPLES[1],
            '\u{3000}'..='\u{9fff}' if SAMPLE_CJK.contains(first) => SAMPLES[0],
            _ => return None,
        };
        Some(FontInsert::new(name, FontData::from_static(bytes), Vec::new()))
    }
}

/// Installs Inter, JetBrains Mono and the icons. What they lack comes from egui's own fonts and,
/// in the program, from the system's; what a bare system lacks of the sample data, from
/// `SampleFonts`.
pub fn install_fonts(context: &Context) {
    let mut fonts = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8]| {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    };
    add(SANS, include_bytes!("../../../../assets/fonts/Inter-Regular.otf"));
    add(SANS_MEDIUM, include_bytes!("../../../../assets/fonts/Inter-Medium.otf"));
    add(SANS_SEMIBOLD, include_bytes!("../../../../assets/fonts/Inter-SemiBold.otf"));
    add(MONO, include_bytes!("../../../../assets/fonts/JetBrainsMono-Regular.ttf"));
    add(MONO_MEDIUM, include_bytes!("../../../../assets/fonts/JetBrainsMono-Medium.ttf"));

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
    context.add_font_provider(Arc::new(SampleFonts));
}

#[cfg(test)]
mod tests {
    use egui::FontId;

    use super::*;

    #[test]
    fn the_sample_data_has_no_empty_boxes_on_a_bare_system() {
        let context = Context::default();
        install_fonts(&context);
        let texts = [
            "Ayşe Yıldız Şanlıurfa Новосибирск Київ Łódź Zoë Brontë",
            "佐藤 さくら 大阪 高橋 健 東京 王小明 北京 陳美玲 台北 お茶 茶",
            "ليلى حداد القاهرة يوسف منصور دمشق شاي",
        ];
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            for text in texts {
                for family in [FontFamily::Proportional, FontFamily::Monospace] {
                    let font = FontId::new(14.0, family);
                    for character in text.chars().filter(|c| !c.is_whitespace()) {
                        let has = ui.fonts_mut(|fonts| fonts.has_glyph(&font, character));
                        assert!(has, "{character} in {font:?}");
                    }
                }
            }
        });
        output.textures_delta.clear();
    }
}
