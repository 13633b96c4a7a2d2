// Package commands has the commands of relay that work on its own database: keys, websites, people,
// knowledge, exports and erasing. It imports the server and the rooms below it. The database, the
// knowledge base and the AI come from main.
package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

// ErrUsage marks a command line that relay does not understand.
var ErrUsage = errors.New("relay help lists the commands")

// Command is a sub-command. Capitals in its usage stand for any word.
type Command struct {
	Usage, Help string
	Run         func(ctx context.Context, c *Call, arg string) error
	Flags       []string // the settings that matter most to it
	Example     string   // what follows relay
}

// Call is one use of a command.
type Call struct {
	Words    []string // the command and its arguments
	Flags    config.Flags
	Config   config.Config
	Log      *slog.Logger
	Out, Err io.Writer
	// Platforms are those on which people of the team can have a name.
	Platforms []string
	Parts
}

// Parts opens what the commands work on, beside a running relay or without one, and closes it
// after use. A relay that runs on the same database sees a change within two seconds.
type Parts interface {
	WithStore(ctx context.Context, use func(chat.Store) error) error
	// WithEngine is WithStore for what needs an engine, which delivers nothing.
	WithEngine(ctx context.Context, use func(*engine.Engine) error) error
	// WithKnowledge is WithEngine for what also needs the knowledge base and the search.
	WithKnowledge(ctx context.Context, use func(*engine.Engine, Knowledge, Search) error) error
	// Runs reports whether a relay runs on the same database.
	Runs(ctx context.Context) bool
}

// Knowledge is the knowledge base, and the AI that answers from it.
type Knowledge interface {
	Sources(ctx context.Context) ([]chat.KnowledgeSource, error)
	Source(ctx context.Context, id string) (chat.KnowledgeSource, []chat.SourcePage, error)
	SourceText(ctx context.Context, id string) (string, error)
	AddText(ctx context.Context, site, title, text, address string) (chat.KnowledgeSource, error)
	AddFile(ctx context.Context, site, name string, data []byte) (chat.KnowledgeSource, error)
	AddPages(ctx context.Context, site, address string, follow, trusted bool) (chat.KnowledgeSource, error)
	// ReadFiles reads the files that were added.
	ReadFiles(ctx context.Context) error
	Refresh(ctx context.Context, id string) error
	Remove(ctx context.Context, id string) error
	Passages(ctx context.Context, site *string, question string, n int) ([]chat.Passage, error)
	// Ask answers a question as a visitor would be answered. ok is false while no AI is set up.
	Ask(ctx context.Context, site *string, question string) (answer chat.AIAsked, ok bool, err error)
}

// Search is the index that finds conversations.
type Search interface {
	// Notice tells it of a message.
	Notice(e *chat.Event)
	// Step reads some of what it has been told, and reports whether there is more.
	Step(ctx context.Context) (more bool, err error)
}

// JSON prints a value for programs.
func JSON(out io.Writer, v any) error {
	lines := json.NewEncoder(out)
	lines.SetIndent("", "  ")
	return lines.Encode(v)
}

// option returns the value of a flag of the command, nil when it is not given.
func (c *Call) option(name string) *string {
	if given := c.Flags.Options[name]; len(given) > 0 {
		return &given[len(given)-1]
	}
	return nil
}
