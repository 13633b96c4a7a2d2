package db

import "github.com/relay-chat/relay/server/chat"

const selectFile = `SELECT a.id, s.id AS session_id, a.message_id, a.uploader, a.complete, a.size, a.created_at, a.mime_type, a.filename,
	a.duration_ms, a.waveform
	FROM attachments a JOIN sessions s ON s.number = a.session WHERE a.id = ?`

// File implements [chat.Reader].
func (t *tx) File(id string) (chat.File, error) {
	return one[chat.File](t, chat.ErrAttachmentNotFound, selectFile, id)
}

const selectChunk = `SELECT data FROM chunks WHERE attachment_id = ? AND n = ?`

// Chunk implements [chat.Reader].
func (t *tx) Chunk(fileID string, n int) ([]byte, error) {
	return one[[]byte](t, chat.ErrAttachmentNotFound, selectChunk, fileID, n)
}

const selectUnsentBytes = `SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM attachments WHERE message_id = '' AND uploader = 'visitor'`

// UnsentBytes implements [chat.Reader].
func (t *tx) UnsentBytes() (int64, error) { return one[int64](t, nil, selectUnsentBytes) }

const insertFile = `INSERT INTO attachments (id, session, message_id, uploader, complete, size, created_at, mime_type, filename, duration_ms, waveform)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// CreateFile implements [chat.Tx].
func (t *tx) CreateFile(f *chat.File) error {
	n, err := t.number(f.SessionID)
	if err == nil {
		_, err = t.q.exec(insertFile, f.ID, n, f.MessageID, string(f.Uploader), f.Complete, f.Size,
			int64(f.CreatedAt), f.MimeType, f.Filename, f.DurationMs, f.Waveform)
	}
	return wrap(err, "create file %s", f.ID)
}

const insertChunk = `INSERT INTO chunks (attachment_id, n, data) VALUES (?, ?, ?)`

// PutChunk implements [chat.Tx].
func (t *tx) PutChunk(fileID string, n int, data []byte) error {
	_, err := t.q.exec(insertChunk, fileID, n, data)
	return wrap(err, "put chunk %d of file %s", n, fileID)
}

const updateFile = `UPDATE attachments SET message_id = ?, complete = ?, size = ?, mime_type = ?, filename = ?, duration_ms = ?, waveform = ? WHERE id = ?`

// SaveFile implements [chat.Tx]. A file keeps its session, its uploader and
// its time.
func (t *tx) SaveFile(f *chat.File) error {
	err := t.touch(chat.ErrAttachmentNotFound, updateFile, f.MessageID, f.Complete, f.Size, f.MimeType, f.Filename, f.DurationMs, f.Waveform, f.ID)
	return wrap(err, "save file %s", f.ID)
}

const deleteFile = `DELETE FROM attachments WHERE id = ?`

// DeleteFile implements [chat.Tx]. The chunks go with the file.
func (t *tx) DeleteFile(id string) error {
	_, err := t.q.exec(deleteFile, id)
	return wrap(err, "delete file %s", id)
}

const deleteFiles = `DELETE FROM attachments WHERE session = ` + ofSession + ` AND message_id = ? AND message_id <> ''`

// DeleteFiles implements [chat.Tx].
func (t *tx) DeleteFiles(sessionID, messageID string) error {
	_, err := t.q.exec(deleteFiles, sessionID, messageID)
	return wrap(err, "delete the files of message %s", messageID)
}
