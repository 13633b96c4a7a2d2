package chat

// The states of e-mail, see [MailStatus].
const (
	MailOff     = "off"
	MailRunning = "running"
	MailFailing = "failing"
)

// MailStatus is how e-mail is doing.
type MailStatus struct {
	State     string `json:"state"`
	LastError string `json:"lastError,omitempty"`
	Fix       string `json:"fix,omitempty"`
	Since     Time   `json:"since,omitzero"` // since when it fails
	Queue     int    `json:"queue"`          // answers that wait to be read or to go out
}

// MailTest is how the server took an e-mail that was sent as a test.
type MailTest struct {
	OK         bool   `json:"ok"`
	Error      string `json:"error,omitempty"`
	Fix        string `json:"fix,omitempty"`
	DurationMs int64  `json:"durationMs"`
	// Findings are what the DNS says of the sender's domain.
	Findings []Finding `json:"findings"`
}
