// Package ai lets a language model answer visitors while no operator is there, or
// propose answers to operators. It knows an OpenAI-compatible endpoint and
// imports package chat; what it may answer from comes in by [Knowledge].
//
// The model has no tools. Its output is text: bounded in length, with links only
// to what it was given, and without amounts that nothing of that says.
package ai

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Knowledge finds what the model may answer from.
type Knowledge interface {
	// Passages finds the n passages that fit a question best.
	Passages(ctx context.Context, question string, n int) ([]chat.Passage, error)
	// Unanswered notes a question that could not be answered.
	Unanswered(ctx context.Context, sessionID, question string) error
}

// None is the knowledge of a relay that has none: the instructions of its
// settings are all that the model may answer from.
type None struct{}

// Passages implements [Knowledge].
func (None) Passages(context.Context, string, int) ([]chat.Passage, error) { return nil, nil }

// Unanswered implements [Knowledge].
func (None) Unanswered(context.Context, string, string) error { return nil }
