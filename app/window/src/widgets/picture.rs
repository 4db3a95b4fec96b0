//! Pictures from the bytes of a file.

use egui::{Id, TextureHandle, TextureOptions, Ui, vec2};

use crate::limits::{IMAGE_PIXELS_MAX, IMAGE_SIDE_MAX};

/// The picture of a file that `id` names, decoded once. `None` if the bytes are no known picture.
pub fn texture(ui: &Ui, id: Id, bytes: &[u8]) -> Option<TextureHandle> {
    let known = ui.data(|data| data.get_temp::<Option<TextureHandle>>(id));
    known.unwrap_or_else(|| {
        let image = decoded(bytes);
        let load = |image| ui.ctx().load_texture("picture", image, TextureOptions::LINEAR);
        let texture = image.map(load);
        ui.data_mut(|data| data.insert_temp(id, texture.clone()));
        texture
    })
}

/// Draws it at its size, or as large as there is room for: within the width, and `height_max` points.
pub fn ui(ui: &mut Ui, texture: &TextureHandle, height_max: f32, words: &str) {
    let size = texture.size_vec2();
    let scale = (height_max / size.y).min(ui.available_width() / size.x).min(1.0);
    let image = egui::Image::new(texture).fit_to_exact_size(vec2(size.x * scale, size.y * scale));
    ui.add(image).accessible_name(words);
}

/// An image within the bounds of its size.
fn decoded(bytes: &[u8]) -> Option<egui::ColorImage> {
    let mut reader = image::ImageReader::new(std::io::Cursor::new(bytes));
    reader = reader.with_guessed_format().ok()?;
    // A few bytes can claim to be a huge image.
    let mut limits = image::Limits::default();
    (limits.max_image_width, limits.max_image_height) =
        (Some(IMAGE_SIDE_MAX), Some(IMAGE_SIDE_MAX));
    limits.max_alloc = Some(u64::from(IMAGE_PIXELS_MAX) * 4);
    reader.limits(limits);
    let image = reader.decode().ok()?.into_rgba8();
    if image.width().saturating_mul(image.height()) > IMAGE_PIXELS_MAX {
        return None;
    }
    let size = [image.width(), image.height()].map(|side| usize::try_from(side).unwrap_or(0));
    Some(egui::ColorImage::from_rgba_unmultiplied(size, image.as_raw()))
}
