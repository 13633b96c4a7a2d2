package oauth

// Refusal is an error of the protocol (RFC 6749, 5.2).
type Refusal struct {
	Code string `json:"error"`
	Text string `json:"error_description,omitempty"`
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Text }

// The codes of refusals.
const (
	InvalidRequest    = "invalid_request"
	InvalidGrant      = "invalid_grant"
	InvalidClient     = "invalid_client"
	InvalidScope      = "invalid_scope"
	InvalidTarget     = "invalid_target" // RFC 8707
	InvalidRedirect   = "invalid_redirect_uri"
	InvalidMetadata   = "invalid_client_metadata"
	UnsupportedGrant  = "unsupported_grant_type"
	UnsupportedAnswer = "unsupported_response_type"
	AccessDenied      = "access_denied"
	Unavailable       = "temporarily_unavailable"
)

func refuse(code, text string) *Refusal { return &Refusal{code, text} }
