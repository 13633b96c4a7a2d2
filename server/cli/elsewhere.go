package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/relay-chat/relay/server/mcp"
	"github.com/relay-chat/relay/server/remote"
)

// Call is one use of a command.
type Call struct {
	Words    []string // the command and its arguments
	Options  map[string][]string
	JSON     bool
	Yes      bool // what costs or cannot be taken back is confirmed
	Environ  []string
	Version  string // relay's
	In       io.Reader
	Out, Err io.Writer
}

// Command uses a relay elsewhere, by a key. Capitals in its usage stand for any word; each works
// with the address of that relay behind it, too.
type Command struct {
	Usage, Help, Example string
	Options              []string
	run                  func(ctx context.Context, c *Call, api *remote.API) error
}

// Elsewhere are all such commands.
var Elsewhere = []Command{
	{"conversations", "list the conversations of a relay elsewhere, those that somebody should answer with --status waiting; also --assignee, --tag, --search, --site, --limit and --cursor",
		"conversations https://chat.example.com --status waiting", []string{"--status", "--assignee", "--tag", "--search", "--site", "--limit", "--cursor"}, listConversations},
	{"read CONVERSATION", "print a conversation of a relay elsewhere with its newest messages and notes; --limit COUNT, --before MESSAGE",
		"read IOOA43XND2D645LT7YEJIVHK3B", []string{"--limit", "--before"}, readConversation},
	{"reply CONVERSATION TEXT", "send a message to the visitor of a conversation; - reads the text from standard input, and a repeated --id ID sends nothing twice",
		`reply IOOA43XND2D645LT7YEJIVHK3B "It is in stock again."`, []string{"--id"}, sends(false)},
	{"note CONVERSATION TEXT", "write a note into a conversation, which only the team sees; like reply",
		`note IOOA43XND2D645LT7YEJIVHK3B - < order.txt`, []string{"--id"}, sends(true)},
	{"stats", "print the statistics of a relay elsewhere: the last 30 days, or --from DAY and --to DAY; --site SITE",
		"stats https://chat.example.com --from 2026-01-01 --json", []string{"--from", "--to", "--site"}, statistics},
	{"rehearse", "have the AI of a relay elsewhere answer the newest questions that people answered, and compare; nothing is shown to visitors; without --yes it says what that costs; --last COUNT, 50 if left out",
		"rehearse https://chat.example.com --last 100 --yes", []string{"--last"}, rehearse},
	{"mcp", "let an assistant on this computer use a relay elsewhere: a server of the Model Context Protocol on standard input and output; --conversation ID is for one conversation only",
		"mcp https://chat.example.com", []string{"--conversation"}, assistant},
}

// Needs says what all of them need.
const Needs = `It needs a key (Team → Programs and keys in the console) in RELAY_API_KEY, or in a file that
RELAY_API_KEY_FILE names. The address is that of the relay; without URL it is in RELAY_URL.`

// Run runs the command. What a relay or a visitor says of an error is clean for terminals.
func (c *Command) Run(ctx context.Context, call *Call, address string) error {
	api, err := remote.Open(address, call.Environ)
	if err != nil {
		return &UsageError{err}
	}
	err = c.run(ctx, call, api)
	if usage := (*UsageError)(nil); err == nil || errors.As(err, &usage) {
		return err
	}
	return errors.New(OneLine(err.Error()))
}

// UsageError is a mistake in the command line or in the environment.
type UsageError struct{ error }

// assistant serves the tools until the assistant is gone.
func assistant(ctx context.Context, c *Call, api *remote.API) error {
	if given := c.Options["--conversation"]; len(given) > 1 || len(given) == 1 && given[0] == "" {
		return &UsageError{errors.New("--conversation must be the id of one conversation")}
	}
	log := slog.New(slog.NewTextHandler(c.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return mcp.RunStdio(ctx, mcp.Options{API: api, Version: c.Version, Log: log}, c.option("--conversation"))
}

// option returns a flag's last value, "" when it is not given.
func (c *Call) option(name string) string {
	given := c.Options[name]
	if len(given) == 0 {
		return ""
	}
	return given[len(given)-1]
}

// read reads a route's answer into a value, and prints it as it is for programs, which then is
// all: it reports whether.
func (c *Call) read(ctx context.Context, api *remote.API, path string, query []string, into any) (printed bool, err error) {
	var answer json.RawMessage
	if err := api.Call(ctx, "GET", path, remote.Query(query...), nil, &answer); err != nil {
		return false, err
	}
	return c.show(answer, into)
}

func (c *Call) show(answer json.RawMessage, into any) (printed bool, err error) {
	if c.JSON {
		var indented bytes.Buffer
		if err := json.Indent(&indented, answer, "", "  "); err != nil {
			return false, err
		}
		_, err = fmt.Fprintln(c.Out, cleanJSON(indented.String()))
		return true, err
	}
	if json.Unmarshal(answer, into) != nil {
		return false, errors.New("what answers there is another version of relay: --json prints what it says")
	}
	return false, nil
}
