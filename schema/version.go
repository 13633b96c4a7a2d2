package schema

// Version is relay's version, and that of its API, its widget and its npm package. A
// release is the tag of this version; a test compares all places that name it.
const Version = "1.0.0"
