package engine

import (
	"io"
	"sync"

	"github.com/relay-chat/relay/server/chat"
)

// hear lets what knows recordings read a file while it is stored. heard ends that, and returns
// what was found: nothing, for another file.
func (u *uploads) hear(f *chat.File, body io.Reader) (along io.Reader, heard func() chat.Sound) {
	if u.listen == nil || f.MimeType != "audio/ogg" {
		return body, func() chat.Sound { return chat.Sound{} }
	}
	in, out := io.Pipe()
	found := make(chan chat.Sound, 1)
	go func() {
		sound := u.listen(in)
		_, _ = io.Copy(io.Discard, in) // the file is longer than what was read
		found <- sound
	}()
	return io.TeeReader(body, out), sync.OnceValue(func() chat.Sound {
		_ = out.Close()
		return <-found
	})
}
