package server

import (
	"context"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

type commandRequest struct {
	Command  string `json:"command"`
	ReplyTo  string `json:"replyTo"`
	ClientID string `json:"clientId"`
}

// command answers POST /api/admin/sessions/{session}/commands: the same commands that
// operators write in a platform's thread.
func (s *conversationAPI) command(_ http.ResponseWriter, r *http.Request, by chat.Author, in commandRequest) (any, error) {
	if err := web.Required("command", in.Command); err != nil {
		return nil, err
	}
	parsed, is := engine.ParseCommand(in.Command, true)
	if !is {
		return nil, web.BadRequest("command must begin with ! or / and a letter, or with //")
	}
	parsed.ClientID = in.ClientID
	result, err := s.engine.Execute(r.Context(), by, web.PathVar(r, "session"), parsed, in.ReplyTo)
	return map[string]string{"answer": result.Answer}, err
}

// noCommand rejects a message of the console that is a command or has a line that
// starts like a note or a command: no visitor ever sees one. Programs, which use
// a key, may send any text.
func (s *conversationAPI) noCommand(ctx context.Context, by chat.Author, content string) error {
	if by.Source != chat.SourceConsole {
		return nil
	}
	if _, isCommand := engine.ParseCommand(content, true); isCommand {
		return chat.Errorf(chat.Conflict, "This is a command: the visitor does not see it")
	}
	withheld, err := s.engine.Withholds(ctx, by, content, true)
	if err == nil && withheld {
		return chat.Errorf(chat.Conflict, "A line starts with // or with a command: the visitor does not see this message")
	}
	return err
}
