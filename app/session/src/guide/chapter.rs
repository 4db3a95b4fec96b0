//! A chapter of the guide, as it is read from its file.

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Its path from the folder of the guide, as links name it.
    pub file: &'static str,
    /// Its sections. The first one has the title of the chapter.
    pub sections: Vec<Section>,
}

impl Chapter {
    pub fn title(&self) -> &str {
        self.sections.first().map_or("", |first| first.title.as_str())
    }
}

/// A heading and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub title: String,
    pub anchor: String,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Markdown without headings and pictures.
    Text(&'static str),
    Picture {
        words: &'static str,
        file: &'static str,
    },
}

/// A section of the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    pub chapter: usize,
    /// The index of the section in it.
    pub section: usize,
}
