//! How a thread wakes the window.

use std::sync::Arc;
use std::time::Duration;

/// Called whenever there is something new to look at, with how long that may wait.
pub type Wake = Arc<dyn Fn(Duration) + Send + Sync>;
