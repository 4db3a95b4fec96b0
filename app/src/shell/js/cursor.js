// Cursors.
