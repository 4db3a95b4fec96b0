//! A running Mayfly window, driven from outside through its accessibility tree.
//!
//! The program is [`program::inspected`]. Controls are found by their accessible name, as a screen reader
//! would find them.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use crate::deadline::Deadline;
use crate::program;
use egui::accesskit::{Node, Role};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Vec2, pos2, vec2};
use egui_inspection::protocol::{self, Request, Response};

/// How long a window may take to open its inspection port.
const START_SECS_MAX: u64 = 60;

/// Milliseconds between two checks while waiting for a window.
const POLL_MS: u64 = 50;

/// How often a control is read again until it stops moving.
const LOOKS_MAX: usize = 10;

/// Frames that one request to settle may take.
const SETTLE_FRAMES_MAX: u64 = 20;

/// The program, its connection, and where its pointer stands.
pub struct Window {
    stream: TcpStream,
    program: Option<Child>,
}

/// One control as a screen reader sees it. Positions in logical points.
#[derive(Debug, Clone)]
pub struct Control {
    /// Button, text field, label …
    pub role: Role,
    /// Its accessible name, empty if it has none.
    pub name: String,
    /// Its value, for text fields and sliders.
    pub value: String,
    /// Left top and right bottom corner.
    pub bounds: Option<(Pos2, Pos2)>,
    /// Whether it refuses input.
    pub disabled: bool,
}

impl Control {
    fn of(node: &Node) -> Self {
        let corner = |x: f64, y: f64| pos2(narrow(x), narrow(y));
        Self {
            role: node.role(),
            name: node.label().unwrap_or_default().to_owned(),
            value: node.value().unwrap_or_default().to_owned(),
            bounds: node.bounds().map(|b| (corner(b.x0, b.y0), corner(b.x1, b.y1))),
            disabled: node.is_disabled(),
        }
    }

    /// The text that it is found by: its name, or the text of a label, which has no other name.
    pub fn text(&self) -> &str {
        let is_label = self.role == Role::Label && self.name.is_empty();
        if is_label { &self.value } else { &self.name }
    }

    fn center(&self) -> Option<Pos2> {
        self.bounds.map(|(low, high)| low + (high - low) / 2.0)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "screen positions fit an f32")]
fn narrow(position: f64) -> f32 {
    position as f32
}

impl Window {
    /// Starts `program` with `arguments` and connects to it. `display` names the display: the variables
    /// of a [`Display`](crate::display::Display) or a [`Compositor`](crate::compositor::Compositor). What
    /// the program keeps between two starts goes below `home`.
    ///
    /// # Errors
    /// When it can't be started, or opens no inspection port in time.
    pub fn start(
        program: &Path,
        arguments: &[&str],
        display: &[(&str, OsString)],
        home: &Path,
    ) -> io::Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut child = program::command(program)
            .args(arguments)
            .env("XDG_DATA_HOME", home)
            .env("XDG_RUNTIME_DIR", home)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .envs(display.iter().map(|(name, value)| (name, value)))
            .env("EGUI_INSPECTION", format!("127.0.0.1:{port}"))
            .stdin(Stdio::null())
            .spawn()?;
        match connect(port, Some(&mut child)) {
            Ok(stream) => Ok(Self { stream, program: Some(child) }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Connects to a window that already runs and serves inspection on `port` of this machine.
    ///
    /// # Errors
    /// When nothing answers there in time.
    pub fn connect(port: u16) -> io::Result<Self> {
        Ok(Self { stream: connect(port, None)?, program: None })
    }

    fn ask(&mut self, request: &Request) -> io::Result<Response> {
        protocol::write_message(&mut self.stream, request)?;
        match protocol::read_message(&mut self.stream)? {
            Response::Error { message } => Err(io::Error::other(message)),
            response => Ok(response),
        }
    }

    /// Every control now on screen that has a name or a value.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn controls(&mut self) -> io::Result<Vec<Control>> {
        match self.ask(&Request::GetTree)? {
            Response::Tree { accesskit: Some(tree), .. } => Ok(tree
                .nodes
                .iter()
                .map(|(_, node)| Control::of(node))
                .filter(|control| !(control.name.is_empty() && control.value.is_empty()))
                .collect()),
            _ => Ok(Vec::new()),
        }
    }

    /// Draws one frame and tells its number.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn frame_number(&mut self) -> io::Result<u64> {
        match self.ask(&Request::GetTree)? {
            Response::Tree { step, .. } => Ok(step),
            _ => Err(io::Error::other("the window sent no tree")),
        }
    }

    /// The first control with exactly this name, else the first whose name starts with it. Controls
    /// that can be acted on come before labels.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn find(&mut self, name: &str) -> io::Result<Option<Control>> {
        let mut found: Vec<Control> =
            self.controls()?.into_iter().filter(|c| c.text().starts_with(name)).collect();
        found.sort_by_key(|c| (c.text() != name, c.role == Role::Label));
        Ok(found.into_iter().next())
    }

    /// Waits until a control's name starts with `name`.
    ///
    /// # Errors
    /// `TimedOut` names what did not appear.
    pub fn wait_for(&mut self, name: &str, limit: Duration) -> io::Result<Control> {
        let deadline = Deadline::after(limit);
        loop {
            if let Some(control) = self.find(name)? {
                return Ok(control);
            }
            if deadline.is_over() {
                let message = format!("no control named {name:?} within {limit:?}");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            self.settle()?;
            thread::sleep(Duration::from_millis(POLL_MS));
        }
    }

    /// Waits until no control's name starts with `name`.
    ///
    /// # Errors
    /// `TimedOut` names what stayed.
    pub fn wait_until_gone(&mut self, name: &str, limit: Duration) -> io::Result<()> {
        let deadline = Deadline::after(limit);
        while self.find(name)?.is_some() {
            if deadline.is_over() {
                let message = format!("{name:?} is still there after {limit:?}");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            self.settle()?;
            thread::sleep(Duration::from_millis(POLL_MS));
        }
        Ok(())
    }

    /// Presses and releases the main button in the middle of the control.
    ///
    /// # Errors
    /// When there is no such control or the window is gone.
    pub fn click(&mut self, name: &str) -> io::Result<()> {
        self.press(name, PointerButton::Primary, 1)
    }

    /// Clicks twice in the middle of the control.
    ///
    /// # Errors
    /// As [`Window::click`].
    pub fn double_click(&mut self, name: &str) -> io::Result<()> {
        self.press(name, PointerButton::Primary, 2)
    }

    /// Opens the control's context menu.
    ///
    /// # Errors
    /// As [`Window::click`].
    pub fn right_click(&mut self, name: &str) -> io::Result<()> {
        self.press(name, PointerButton::Secondary, 1)
    }

    fn press(&mut self, name: &str, button: PointerButton, times: usize) -> io::Result<()> {
        let mut at = self.place(name)?;
        // A control that loads late may still move this one away from the pointer.
        for _ in 0..LOOKS_MAX {
            self.settle()?;
            let before = std::mem::replace(&mut at, self.place(name)?);
            if before == at {
                break;
            }
        }
        for _ in 0..times {
            self.press_at(at, button)?;
        }
        self.settle()
    }

    fn place(&mut self, name: &str) -> io::Result<Pos2> {
        let place = self.find(name)?.and_then(|control| control.center());
        place.ok_or_else(|| io::Error::other(format!("no control named {name:?}")))
    }

    /// Presses and releases a button at a position in logical points.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn press_at(&mut self, at: Pos2, button: PointerButton) -> io::Result<()> {
        self.hover(at)?;
        // In one frame: on a busy machine two frames can lie further apart than a click may last.
        let half = |pressed| {
            let modifiers = Modifiers::NONE;
            Event::PointerButton { pos: at, button, pressed, modifiers }
        };
        self.apply(vec![half(true), half(false)])
    }

    /// Moves the pointer and waits until the window has taken notice.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn hover(&mut self, at: Pos2) -> io::Result<()> {
        self.apply(vec![Event::PointerMoved(at)])?;
        self.settle()
    }

    /// Drags with the main button from one position to another.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn drag(&mut self, from: Pos2, to: Pos2) -> io::Result<()> {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        self.hover(from)?;
        self.apply(vec![Event::PointerButton { pos: from, button, pressed: true, modifiers }])?;
        self.apply(vec![Event::PointerMoved(from + (to - from) / 2.0)])?;
        self.apply(vec![Event::PointerMoved(to)])?;
        self.apply(vec![Event::PointerButton { pos: to, button, pressed: false, modifiers }])
    }

    /// Turns the wheel at a position, in points.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn scroll(&mut self, at: Pos2, delta_y: f32, modifiers: Modifiers) -> io::Result<()> {
        self.hover(at)?;
        let (unit, phase) = (egui::MouseWheelUnit::Point, egui::TouchPhase::Move);
        let source = egui::MouseWheelSource::Wheel;
        let delta: Vec2 = vec2(0.0, delta_y);
        self.apply(vec![Event::MouseWheel { unit, delta, phase, modifiers, source }])?;
        self.settle()
    }

    /// Types text into whatever has the keyboard.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn type_text(&mut self, text: &str) -> io::Result<()> {
        self.apply(vec![Event::Text(text.to_owned())])?;
        self.settle()
    }

    /// Presses and releases a key.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn key(&mut self, key: Key, modifiers: Modifiers) -> io::Result<()> {
        for pressed in [true, false] {
            let event = Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
            self.apply(vec![event])?;
        }
        self.settle()
    }

    /// Injects events and waits for the frame that took them.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn apply(&mut self, events: Vec<Event>) -> io::Result<()> {
        self.ask(&Request::ApplyEvents { events }).map(|_| ())
    }

    /// Lets the window draw until it has nothing more to draw, for a bounded number of frames.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn settle(&mut self) -> io::Result<()> {
        self.ask(&Request::Settle { max_steps: SETTLE_FRAMES_MAX }).map(|_| ())
    }

    /// Gives the window another size in logical points.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn resize(&mut self, width: u32, height: u32) -> io::Result<()> {
        self.ask(&Request::Resize { width, height })?;
        self.settle()
    }

    /// Writes what the window shows as a PNG file.
    ///
    /// # Errors
    /// When the window is gone or the file can't be written.
    pub fn screenshot(&mut self, file: &Path) -> io::Result<()> {
        match self.ask(&Request::GetScreenshot { pixels_per_point: None })? {
            Response::Screenshot(png) => std::fs::write(file, png.bytes),
            _ => Err(io::Error::other("the window sent no picture")),
        }
    }

    /// Ends the program at once, as `kill -9` would. For a clean end, close the window's own way.
    ///
    /// # Errors
    /// When the program can't be ended.
    pub fn kill(&mut self) -> io::Result<()> {
        let Some(mut program) = self.program.take() else { return Ok(()) };
        program.kill()?;
        program.wait().map(|_| ())
    }

    /// Waits for the program to end by itself and tells whether it ended well.
    ///
    /// # Errors
    /// `TimedOut` when it does not end.
    pub fn wait_for_end(&mut self, limit: Duration) -> io::Result<bool> {
        let Some(program) = self.program.as_mut() else { return Ok(true) };
        let deadline = Deadline::after(limit);
        loop {
            if let Some(status) = program.try_wait()? {
                self.program = None;
                return Ok(status.success());
            }
            if deadline.is_over() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the program does not end"));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The operating system's number of the program, if this value started it.
    pub fn process_id(&self) -> Option<u32> {
        self.program.as_ref().map(Child::id)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

fn connect(port: u16, mut program: Option<&mut Child>) -> io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let deadline = Deadline::after(Duration::from_secs(START_SECS_MAX));
    loop {
        match TcpStream::connect(address) {
            Ok(stream) => {
                protocol::read_handshake(&stream)?;
                return Ok(stream);
            }
            Err(error) if deadline.is_over() => {
                return Err(error);
            }
            Err(_) => {}
        }
        if let Some(child) = program.as_deref_mut()
            && let Some(status) = child.try_wait()?
        {
            return Err(io::Error::other(format!("the program ended at its start: {status}")));
        }
        thread::sleep(Duration::from_millis(50));
    }
}
