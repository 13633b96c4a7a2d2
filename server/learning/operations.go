package learning

import (
	"net/http"

	"github.com/relay-chat/relay/server/chat"
)

// maxOperationsBody is the largest request with an OpenAPI document in it.
const maxOperationsBody = 6 << 20

type operationsRequest struct {
	URL      string `json:"url"`
	Document string `json:"document"`
	MCP      string `json:"mcp"`
	Header   string `json:"header"`
	Secret   string `json:"secret"`
}

// operations answers POST /api/admin/ai/operations with what an OpenAPI document or a server of the Model
// Context Protocol offers. Nothing is stored.
func (s *actionAPI) operations(_ http.ResponseWriter, r *http.Request, _ chat.Author, in operationsRequest) (any, error) {
	given := 0
	for _, text := range []string{in.URL, in.Document, in.MCP} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, chat.Errorf(chat.Invalid, "url, document or mcp is required, and one of them only")
	case in.MCP != "":
		with := chat.Action{Header: in.Header, Secret: in.Secret}
		if err := with.CheckSecret(); err != nil {
			return nil, err
		}
		return s.actions.Tools(r.Context(), in.MCP, with.Header, with.Secret)
	}
	return s.actions.Operations(r.Context(), in.URL, in.Document)
}
