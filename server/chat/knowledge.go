package chat

// The kinds of a knowledge source.
const (
	KnowledgeText = "text" // typed in
	KnowledgeFile = "file"
	KnowledgePage = "page" // one web page, or the pages of a sitemap
	KnowledgeSite = "site" // a web page and the pages of its site that it leads to
)

// KnowledgeSource is where the AI's answers may come from: a text, a file or web
// pages.
type KnowledgeSource struct {
	ID    string `json:"id" db:"id"`
	Kind  string `json:"kind" db:"kind"`
	Title string `json:"title" db:"title"`
	// URL is the first page, or where people find the text.
	URL string `json:"url,omitempty" db:"url"`
	// Site is the id of the site whose visitors it answers, or AllSites.
	Site string `json:"-" db:"site"`
	// Trusted sources were added by whoever runs relay, and may be in a private
	// network.
	Trusted bool `json:"-" db:"trusted"`
	// Note is what operators should know: that a site has too many pages.
	Note      string `json:"note,omitempty" db:"note"`
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	// RefreshAt is when its pages are fetched again, 0 for never.
	RefreshAt Time `json:"refreshAt,omitzero" db:"refresh_at"`
	KnowledgeCounts
}

// KnowledgeCounts say how far a source was read.
type KnowledgeCounts struct {
	Pages    int `json:"pages" db:"pages"`
	Waiting  int `json:"waiting" db:"waiting"`
	Failed   int `json:"failed" db:"failed"`
	Passages int `json:"passages" db:"passages"`
}

// PageState is how far a page of a source was read.
type PageState int

// A failed page is tried again when its source is refreshed.
const (
	PageWaiting PageState = iota
	PageRead
	PageFailed
)

// MarshalJSON renders the state for people.
func (s PageState) MarshalJSON() ([]byte, error) {
	return []byte(`"` + [...]string{"waiting", "read", "failed"}[s] + `"`), nil
}

// SourcePage is a page of a source: a web page, a sitemap, or the one part of a
// file or text.
type SourcePage struct {
	Number  int64     `json:"-" db:"number"`
	URL     string    `json:"url,omitempty" db:"url"`
	Title   string    `json:"title" db:"title"`
	State   PageState `json:"state" db:"state"`
	Sitemap bool      `json:"sitemap,omitzero" db:"sitemap"`
	// Error says why the page was not read at the last attempt.
	Error     string `json:"error,omitempty" db:"error"`
	FetchedAt Time   `json:"fetchedAt,omitzero" db:"fetched_at"`
	Passages  int    `json:"passages" db:"passages"`

	NextAt   Time   `json:"-" db:"next_at"`
	Attempts int    `json:"-" db:"attempts"`
	ETag     string `json:"-" db:"etag"`
	Modified string `json:"-" db:"modified"` // as the server said it
	Hash     string `json:"-" db:"hash"`     // of the text
	Dated    Time   `json:"-" db:"dated"`    // when it was changed last, as far as it says
	Reader   int    `json:"-" db:"reader"`   // which form of the reader read it
	File     []byte `json:"-" db:"file"`     // what is still to be read of a file
}

// FoundPassage is a passage with its place in the store: those of a page follow each other.
type FoundPassage struct {
	Number int64 `db:"number"`
	Page   int64 `db:"page"`
	Passage
}

// WordCount is a word of the knowledge base, and how many passages have it.
type WordCount struct {
	Word     string
	Passages int
}

// IndexedPassage is a passage with the words by which it is found.
type IndexedPassage struct {
	Title, Text           string
	TitleWords, TextWords []string
}

// PageResult is what came of reading a page.
type PageResult struct {
	Page SourcePage
	// Replace puts Passages in the place of the page's old ones.
	Replace  bool
	Passages []IndexedPassage
	Found    []string // the addresses of further pages
	Index    bool     // these are sitemaps
	Dropped  int      // how many more there are than a source may have
	Title    string   // of the source, "" to leave it
}

// Question is something that the AI could not answer.
type Question struct {
	ID        string `json:"id" db:"id"`
	Question  string `json:"question" db:"question"`
	Count     int    `json:"count" db:"count"`
	SessionID string `json:"sessionId" db:"session_id"` // that asked last
	AskedAt   Time   `json:"askedAt" db:"asked_at"`
	// Context is what the same visitor had asked before it, "" where nothing is needed to understand it.
	Context string `json:"context,omitempty" db:"context"`
	// Site is the id of the visitor's site.
	Site string `json:"-" db:"site"`
	// Alike are questions that ask the same, in a list by groups.
	Alike []Question `json:"alike,omitempty" db:"-"`
	// Vector is the packed meaning of the question for the embedding model Model.
	Vector []byte `json:"-" db:"vector"`
	Model  string `json:"-" db:"model"`
}

// The limits of a knowledge base.
const (
	MaxSources     = 2000
	MaxSourcePages = 500
	MaxSitemaps    = 200 // of a source
	MaxPassages    = 50_000
	MaxQuestions   = 1000
	// MaxKnowledgeFile is in bytes.
	MaxKnowledgeFile = 10 << 20
)

// ErrSourceNotFound and ErrQuestionNotFound mean that there is none with this id.
var (
	ErrSourceNotFound   = &Error{Kind: NotFound, Text: "Source not found"}
	ErrQuestionNotFound = &Error{Kind: NotFound, Text: "Question not found"}
	// ErrKnowledgeFile refuses a file that is too large.
	ErrKnowledgeFile = &Error{Kind: TooLarge, Text: "A file may have at most 10 MB"}
	// ErrKnowledgeFull refuses more passages.
	ErrKnowledgeFull = &Error{Kind: Conflict, Text: "The knowledge base is full: it holds 50,000 passages; remove sources that are not needed"}
	// ErrTooManySources refuses one more.
	ErrTooManySources = &Error{Kind: Conflict, Text: "There are 2,000 sources already; remove some first"}
)
