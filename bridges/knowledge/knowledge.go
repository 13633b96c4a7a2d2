// Package knowledge keeps the texts that the AI answers from: it reads texts, files
// and web pages, cuts them into passages, and finds the passages that a question is
// about. Pages to read are rows of the store, so that a crawl continues after a
// restart. It imports package chat, package guard and the libraries that read pages.
package knowledge

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Store keeps the knowledge base. Package db has the only implementation.
type Store interface {
	Sources(ctx context.Context) ([]chat.KnowledgeSource, error)
	// Source answers chat.ErrSourceNotFound when there is none.
	Source(ctx context.Context, id string) (chat.KnowledgeSource, []chat.SourcePage, error)
	AddSource(ctx context.Context, s *chat.KnowledgeSource, first *chat.SourcePage, passages []chat.IndexedPassage, questions []string) error
	RemoveSource(ctx context.Context, id string) error
	MoveSource(ctx context.Context, id, site string) error
	RefreshSource(ctx context.Context, id string, now, next chat.Time) error
	RefreshDue(ctx context.Context, now, next chat.Time) error

	// NextPage returns the next page that is due, with number 0 if there is none.
	NextPage(ctx context.Context, now chat.Time) (chat.SourcePage, chat.KnowledgeSource, error)
	// CountAttempt notes that a page is about to be read, in case that relay does not survive it.
	CountAttempt(ctx context.Context, page int64) error
	SettlePage(ctx context.Context, source string, r *chat.PageResult) error
	// HasText reports whether a page of a source has passages.
	HasText(ctx context.Context, source, url string) (bool, error)
	// DropUnlisted removes the pages of a sitemap's source that were listed before a time only, if all of
	// its sitemaps were read since then by this form of the reader, and no page waits.
	DropUnlisted(ctx context.Context, source string, since chat.Time, reader int, now chat.Time) error

	FindPassages(ctx context.Context, site *string, words []string, limit int) ([]int64, error)
	Passages(ctx context.Context, numbers []int64) ([]chat.FoundPassage, error)
	Vocabulary(ctx context.Context, known string) (words []chat.WordCount, state string, err error)
	PageTitles(ctx context.Context, site *string, limit int) ([]string, error)

	Vectors
	// SourceTexts lists the passages of a source, in their order.
	SourceTexts(ctx context.Context, id string) ([]string, error)

	AddQuestion(ctx context.Context, key string, q *chat.Question) error
	Questions(ctx context.Context) ([]chat.Question, error)
	Question(ctx context.Context, id string) (chat.Question, error)
	DropQuestion(ctx context.Context, id string) error
}

// Vectors keeps what passages and questions mean to a model.
type Vectors interface {
	Unembedded(ctx context.Context, model string, limit int) (numbers []int64, texts []string, err error)
	PutVectors(ctx context.Context, model string, numbers []int64, vectors [][]byte) error
	EachVector(ctx context.Context, site *string, model string, with func(number int64, vector []byte)) error
	UnembeddedQuestions(ctx context.Context, model string, limit int) (ids, texts []string, err error)
	PutQuestionVectors(ctx context.Context, model string, ids []string, vectors [][]byte) error
}

// Embedder asks a model for embeddings: one vector for each text.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Options are the parts and settings of a knowledge base.
type Options struct {
	Store Store
	Log   *slog.Logger
	// Allowed are the private networks that sources added by API may be in.
	Allowed []netip.Prefix
	Version string
	// Reader is the command that calls ReadDocument. Without one documents are read in this
	// process, which is for tests with documents of their own.
	Reader []string
	// Embedding returns the current embedder and its model, nil for none.
	Embedding func() (Embedder, string)
	// Now and Rest are the clock; nil for the usual one.
	Now  func() time.Time
	Rest func(ctx context.Context, d time.Duration) error
}

// Knowledge is a knowledge base.
type Knowledge struct {
	opts     Options
	store    Store
	meanings Vectors
	fetcher  *fetcher
	extract  reader
	robots   map[string]robots // by site; of the one goroutine that crawls
	bell     chan struct{}     // rung when there is something to read

	failing chat.LogThrottle // the embedding model
	vectors sync.Mutex       // one search of all vectors at a time
	held    heldVocabulary
}

// New returns a knowledge base. It reads nothing before Run.
func New(o Options) *Knowledge {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rest == nil {
		o.Rest = chat.Rest
	}
	if o.Embedding == nil {
		o.Embedding = func() (Embedder, string) { return nil, "" }
	}
	k := &Knowledge{opts: o, store: o.Store, meanings: o.Store, fetcher: newFetcher(o), extract: readHere, robots: map[string]robots{}, bell: make(chan struct{}, 1)}
	if len(o.Reader) > 0 {
		k.extract = inProcess(o.Reader)
	}
	return k
}

func (k *Knowledge) now() chat.Time { return chat.TimeOf(k.opts.Now()) }

func (k *Knowledge) ring() {
	select {
	case k.bell <- struct{}{}:
	default:
	}
}
