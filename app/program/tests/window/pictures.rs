//! Every view in windows of every size. `MAYFLY_WRITE_PICTURES=1` also makes a picture of each view and
//! each dialog in both themes, in `tests/artefacts/window`: a change of the look can be judged as a whole.

use std::fs;
use std::path::Path;

use egui::epaint::{Primitive, Vertex};
use egui::{Color32, ColorImage, Key, Modifiers, Pos2, Rect, TextureId, pos2, vec2};
use mayfly::action::{Action, DocumentsAction, LessonAction, ViewAction};
use mayfly::state::settings::ThemeChoice;
use mayfly::state::view::Drawer;
use mayfly::theme::Colors;

use super::room::cut;
use super::support::Window;

/// Sizes of windows, from the smallest that is supported to a large screen.
pub const SIZES: [(f32, f32); 6] = [
    (800.0, 500.0),
    (1_024.0, 640.0),
    (1_280.0, 800.0),
    (1_440.0, 900.0),
    (1_920.0, 1_080.0),
    (2_560.0, 1_440.0),
];

/// Shows what is on the screen in each size, checks it, and makes its pictures if they are asked for.
pub fn in_every_size(window: &mut Window, name: &str, mut check: impl FnMut(&mut Window, &str)) {
    let writes = std::env::var_os("MAYFLY_WRITE_PICTURES").is_some();
    let themes: &[_] =
        if writes { &[ThemeChoice::Light, ThemeChoice::Dark] } else { &[ThemeChoice::Dark] };
    for theme in themes {
        let chosen = ViewAction::choose(window.state(), |settings| settings.theme = *theme);
        window.ask(chosen);
        for (width, height) in SIZES {
            window.harness.set_size(vec2(width, height));
            window.settle_and_draw(3);
            check(window, &format!("{name} {width}×{height}"));
            if writes {
                let file = format!("{name}-{width}x{height}-{}.png", theme.label().to_lowercase());
                write(window, &file);
            }
        }
    }
}

/// Paints the last frame into a file.
fn write(window: &Window, file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/artefacts/window");
    fs::create_dir_all(&folder).expect("the folder for pictures can be made");
    let image = paint(window);
    let bytes: Vec<u8> =
        image.pixels.iter().flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]).collect();
    let [width, height] = image.size.map(|side| u32::try_from(side).expect("a side of a window"));
    let picture = image::RgbImage::from_raw(width, height, bytes).expect("three bytes for a pixel");
    picture.save(folder.join(file)).expect("the picture can be written");
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places within a window are small; what is left of it is cut to 0"
)]
fn pixel(at: f32) -> usize {
    (at - 0.5).ceil().max(0.0) as usize
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a window")]
fn center(pixel: usize) -> f32 {
    pixel as f32 + 0.5
}

fn paint(window: &Window) -> ColorImage {
    let context = &window.harness.ctx;
    let size = context.content_rect().size();
    let background = Colors::of_window(context).panel;
    let mut image = ColorImage::filled([pixel(size.x), pixel(size.y)], background);
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method has a lifetime too few"
    )]
    let atlas = context.fonts(|fonts| fonts.image());
    let shapes = window.harness.output().shapes.clone();
    for clipped in context.tessellate(shapes, 1.0) {
        let Primitive::Mesh(mesh) = clipped.primitive else { continue };
        // Pictures in documents have textures of their own.
        if mesh.texture_id != TextureId::default() {
            continue;
        }
        for corners in mesh.indices.chunks_exact(3) {
            let corners = [corners[0], corners[1], corners[2]];
            let corners = corners.map(|at| mesh.vertices[at as usize]);
            triangle(&mut image, &atlas, clipped.clip_rect, &corners);
        }
    }
    image
}

#[expect(clippy::many_single_char_names, reason = "the corners of a triangle and places in it")]
fn triangle(image: &mut ColorImage, atlas: &ColorImage, clip: Rect, corners: &[Vertex; 3]) {
    let [a, b, c] = corners;
    let is_flat = a.color == b.color && a.color == c.color && a.uv == b.uv && a.uv == c.uv;
    let (ab, ac) = (b.pos - a.pos, c.pos - a.pos);
    let area = ab.x * ac.y - ab.y * ac.x;
    if area.abs() < 1e-6 {
        return;
    }
    let top = a.pos.y.min(b.pos.y).min(c.pos.y).max(clip.top());
    let bottom = a.pos.y.max(b.pos.y).max(c.pos.y).min(clip.bottom());
    let [width, height] = image.size;
    for row in pixel(top)..pixel(bottom).min(height) {
        let y = center(row);
        let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
        for (from, to) in [(a.pos, b.pos), (b.pos, c.pos), (c.pos, a.pos)] {
            if (from.y <= y) != (to.y <= y) {
                let x = from.x + (to.x - from.x) * (y - from.y) / (to.y - from.y);
                (left, right) = (left.min(x), right.max(x));
            }
        }
        let (from, to) = (pixel(left.max(clip.left())), pixel(right.min(clip.right())).min(width));
        if from >= to {
            continue;
        }
        let line = &mut image.pixels[row * width + from..row * width + to];
        if is_flat {
            let color = texel(atlas, a.uv) * a.color;
            if color.is_opaque() {
                line.fill(color);
            } else {
                for under in line {
                    *under = under.blend(color);
                }
            }
            continue;
        }
        for (column, under) in (from..).zip(line) {
            let at = pos2(center(column), y) - a.pos;
            let second = (at.x * ac.y - at.y * ac.x) / area;
            let third = (ab.x * at.y - ab.y * at.x) / area;
            let uv = a.uv + (b.uv - a.uv) * second + (c.uv - a.uv) * third;
            let color = mixed(corners.each_ref().map(|corner| corner.color), second, third);
            *under = under.blend(texel(atlas, uv) * color);
        }
    }
}

fn mixed([a, b, c]: [Color32; 3], second: f32, third: f32) -> Color32 {
    if a == b && a == c {
        return a;
    }
    let part = |color: Color32, share: f32| color.gamma_multiply(share.clamp(0.0, 1.0));
    part(a, 1.0 - second - third) + part(b, second) + part(c, third)
}

fn texel(atlas: &ColorImage, uv: Pos2) -> Color32 {
    let [width, height] = atlas.size;
    let place = |share: f32, side: usize| pixel(share * (center(side) - 0.5) - 0.5).min(side - 1);
    atlas.pixels[place(uv.y, height) * width + place(uv.x, width)]
}

/// Looks at what is on the screen: no control is cut.
fn look(window: &mut Window, name: &str, found: &mut Vec<String>) {
    in_every_size(window, name, |window, at| cut(window, at, found));
}

#[test]
fn no_view_of_the_expiring_documents_is_cut_in_windows_of_every_size() {
    let mut window = Window::open_demo();
    let mut found = Vec::new();
    window.until_named("Will expire");
    look(&mut window, "expiry-timeline", &mut found);
    window.click("What if…");
    window.until_named("TTL to try");
    window.type_into("TTL to try", "10");
    look(&mut window, "expiry-what-if", &mut found);
    window.click("What if…");
    window.click("View: Table");
    look(&mut window, "expiry-table", &mut found);
    window.advance(120);
    window.click("Run pass");
    window.click("View: Removed");
    look(&mut window, "expiry-removed", &mut found);
    window.click("View: Calendar");
    look(&mut window, "expiry-calendar", &mut found);
    window.click("View: Timeline");
    for drawer in Drawer::ALL {
        window.ask(Action::View(ViewAction::SetDrawer(Some(drawer))));
        look(&mut window, &format!("drawer-{}", drawer.label().to_lowercase()), &mut found);
    }
    window.ask(Action::View(ViewAction::SetDrawer(None)));
    window.ask(Action::View(ViewAction::ShowCallouts));
    look(&mut window, "callout", &mut found);
    window.ask(Action::View(ViewAction::EndCallouts));
    window.ask(Action::View(ViewAction::Present(true)));
    look(&mut window, "presented", &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_view_of_a_collection_is_cut_in_windows_of_every_size() {
    let mut window = Window::open_demo();
    let mut found = Vec::new();
    window.until_named("Will expire");
    window.click("Collection shop.orders");
    window.click("Documents");
    window.until_named("Document 50000");
    for (key, name) in [(Key::F2, "cards"), (Key::F3, "json"), (Key::F4, "table")] {
        window.key(key);
        look(&mut window, &format!("documents-{name}"), &mut found);
    }
    let tab = window.tab().id;
    window.ask(Action::Documents(tab, DocumentsAction::SelectAll));
    look(&mut window, "documents-selected", &mut found);
    window.ask(Action::Documents(tab, DocumentsAction::SelectNothing));
    window.click("Document 50000");
    look(&mut window, "documents-inspector", &mut found);
    window.type_into("Filter", "{ status: 'paid' }");
    window.key(Key::Enter);
    window.click("Explain the query");
    window.until_named("Reply of explain");
    look(&mut window, "explain", &mut found);
    window.click("Close the explanation");
    window.type_into("Filter", "{ status: 'nothing' }");
    window.key(Key::Enter);
    look(&mut window, "documents-none", &mut found);
    for view in ["Indexes", "Schema", "Aggregate"] {
        window.click(view);
        window.settle_and_draw(20);
        look(&mut window, &view.to_lowercase(), &mut found);
    }
    window.choose("Add stage", "$group");
    window.type_into("Stage 1 value", "{ _id: '$status', total: { $sum: '$total' } }");
    window.keys(Modifiers::COMMAND, Key::Enter);
    look(&mut window, "aggregate-results", &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn nothing_around_the_views_is_cut_in_windows_of_every_size() {
    let mut window = Window::open_demo();
    let mut found = Vec::new();
    window.until_named("Will expire");
    window.ask(Action::View(ViewAction::ShowStart(true)));
    look(&mut window, "start", &mut found);
    window.ask(Action::View(ViewAction::ShowStart(false)));
    window.ask(Action::Lesson(LessonAction::ShowPage(true)));
    window.settle_and_draw(10);
    look(&mut window, "lessons", &mut found);
    window.ask(Action::Lesson(LessonAction::ShowPage(false)));
    window.key(Key::F1);
    look(&mut window, "guide", &mut found);
    window.key(Key::F1);
    window.keys(Modifiers::COMMAND, Key::P);
    look(&mut window, "palette", &mut found);
    window.key(Key::Escape);
    window.point("Menu");
    look(&mut window, "menu", &mut found);
    let mut window = Window::open();
    window.until_named("This store is empty");
    look(&mut window, "start-empty", &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
