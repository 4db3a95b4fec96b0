// What Mayfly adds: `clock`, `reaper`, `verdict` and their like.
