package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/relay-chat/relay/server/remote"
)

// maxText bounds what is read of standard input: more is no message.
const maxText = 1 << 20

// sends returns the command that writes into a conversation. Each message has an id of its own, so
// that it appears once however often it was sent.
func sends(internal bool) func(context.Context, *Call, *remote.API) error {
	return func(ctx context.Context, c *Call, api *remote.API) error {
		text, err := c.text()
		if err != nil {
			return err
		}
		id := c.option("--id")
		if id == "" {
			id = rand.Text()
		}
		body := map[string]any{"content": text, "internal": internal, "clientId": id}
		var answer json.RawMessage
		err = api.Insist(ctx, remote.Conversation(c.Words[1], "/messages"), body, &answer)
		if remote.Unclear(err) {
			return fmt.Errorf("%w. Perhaps it was sent all the same: the same command with --id %s sends it at most once", err, OneLine(id))
		}
		if err != nil {
			return err
		}
		var sent message
		if printed, err := c.show(answer, &sent); printed || err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "%s is sent.\n", OneLine(sent.ID))
		return err
	}
}

// text is the message's, of the command line or of standard input.
func (c *Call) text() (string, error) {
	if c.Words[2] != "-" {
		return c.Words[2], nil
	}
	data, err := io.ReadAll(io.LimitReader(c.In, maxText+1))
	if err == nil && len(data) > maxText {
		err = errors.New("standard input has more than a message")
	}
	return string(data), err
}
