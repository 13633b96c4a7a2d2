package chat

// Takeover is the payload of [EventAITakeover].
type Takeover struct {
	Active bool   `json:"active"`
	Reason string `json:"reason,omitempty"`
	// AskContact: the visitor's widget may ask for a name or an e-mail address.
	AskContact bool `json:"askContact,omitzero"`
	At         Time `json:"at"`
}
