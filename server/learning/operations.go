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
}

// operations answers POST /api/admin/ai/operations with what an OpenAPI document offers. Nothing is
// stored.
func (s *actionAPI) operations(_ http.ResponseWriter, r *http.Request, _ chat.Author, in operationsRequest) (any, error) {
	if (in.URL == "") == (in.Document == "") {
		return nil, chat.Errorf(chat.Invalid, "url or document is required, and not both")
	}
	return s.actions.Operations(r.Context(), in.URL, in.Document)
}
