// Package ai lets a language model answer visitors while no operator is there, or
// propose answers to operators. It calls an OpenAI-compatible endpoint and imports
// package chat; [Knowledge] supplies what it may answer from.
//
// The model's output is text: bounded in length, with links only
// to what it was given, and without amounts that it was not given. Beside that it may ask
// for actions that the owner has declared (package act).
package ai

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Knowledge finds passages that the model may answer from.
type Knowledge interface {
	// Passages finds the n passages that fit a question best, of sources for a site's
	// visitors; nil: there is one site.
	Passages(ctx context.Context, site *string, question string, n int) ([]chat.Passage, error)
	// Titles lists titles of pages, so many at most; none when there are no sources.
	Titles(ctx context.Context, site *string, n int) ([]string, error)
	// Unanswered records a question that could not be answered: its session, its text and its context.
	Unanswered(ctx context.Context, q chat.Question) error
}

// None is an empty knowledge base: the model may answer only from the instructions in
// the settings.
type None struct{}

// Passages implements [Knowledge].
func (None) Passages(context.Context, *string, string, int) ([]chat.Passage, error) { return nil, nil }

// Titles implements [Knowledge].
func (None) Titles(context.Context, *string, int) ([]string, error) { return nil, nil }

// Unanswered implements [Knowledge].
func (None) Unanswered(context.Context, chat.Question) error { return nil }
