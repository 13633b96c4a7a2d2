package chat

// DefaultMaxBytes is the size of the largest file unless the settings say
// otherwise.
const DefaultMaxBytes = 10 << 20

var (
	// ErrAttachmentNotFound is returned for unknown, foreign and used attachments alike.
	ErrAttachmentNotFound = &Error{Kind: NotFound, Text: "Attachment not found"}
	// ErrAttachmentsOff rejects uploads while the settings forbid them.
	ErrAttachmentsOff = &Error{Kind: Forbidden, Text: "Attachments are switched off"}
)

// File is an attachment as the store keeps it, in chunks.
type File struct {
	ID        string `db:"id"`
	SessionID string `db:"session_id"`
	MessageID string `db:"message_id"` // "" until a message uses it
	Uploader  Sender `db:"uploader"`
	Complete  bool   `db:"complete"`
	Size      int64  `db:"size"`
	CreatedAt Time   `db:"created_at"`
	MimeType  string `db:"mime_type"`
	Filename  string `db:"filename"`
	Sound
}

// Sound is what is shown of a recording before it is loaded. It is empty for other files.
type Sound struct {
	DurationMs int64 `db:"duration_ms" json:"durationMs,omitempty"`
	// Waveform says how loud it is where, by 48 bytes in base64.
	Waveform string `db:"waveform" json:"waveform,omitempty"`
}

// Attachment returns the file as a message shows it.
func (f *File) Attachment() Attachment {
	return Attachment{ID: f.ID, Filename: f.Filename, MimeType: f.MimeType, Size: f.Size, Sound: f.Sound}
}
