package web

import "net/http"

// OpenToPages lets pages of every origin use routes at which cookies do not count: assistants that
// run in browsers bring their token along. A page never gets an answer to the cookies of its reader.
func OpenToPages(w http.ResponseWriter, r *http.Request) (preflight bool) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, Mcp-Session-Id, Mcp-Protocol-Version")
	return AnswerPreflight(w, r, "GET, POST, DELETE", "Authorization, *") // which headers there are, versions of the protocol say
}
