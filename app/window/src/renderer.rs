//! The name of the renderer: the one query of OpenGL that egui has no safe call for.

use eframe::CreationContext;

/// The renderer's name. Empty if it is not known.
pub fn name(context: &CreationContext<'_>) -> String {
    #[cfg(feature = "glow")]
    if let Some(gl) = &context.gl {
        use eframe::glow::{HasContext as _, RENDERER};
        #[expect(unsafe_code, reason = "a query of the context that eframe has made current")]
        return unsafe { gl.get_parameter_string(RENDERER) };
    }
    #[cfg(feature = "wgpu")]
    if let Some(render) = &context.wgpu_render_state {
        return render.adapter.get_info().name;
    }
    String::new()
}
