// Package voice describes voice messages: how long a recording is and how loud it is
// where, as platforms want to know it. It imports server/chat only.
package voice

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Recording describes a recording.
type Recording struct {
	Duration time.Duration
	// Waveform has 1 to 256 levels. It is rough: louder parts take more bytes.
	Waveform []byte
}

// errForeign means that a file is no Ogg file with one whole Opus stream.
var errForeign = errors.New("it is no Ogg/Opus recording")

// maxSize bounds what is read: a recording of an hour is smaller.
const maxSize = 16 << 20

// Named reports whether a file's type says that it may be a recording.
func Named(f *chat.OpFile) bool {
	kind, _, _ := strings.Cut(f.MimeType, ";")
	return kind == "audio/ogg" || kind == "audio/opus"
}

// Of opens and reads a file. Any error means that it is no recording.
func Of(ctx context.Context, f *chat.OpFile) (Recording, error) {
	if !Named(f) || f.Size > maxSize {
		return Recording{}, errForeign
	}
	content, err := f.Open(ctx)
	if err != nil {
		return Recording{}, fmt.Errorf("open %s: %w", f.Filename, err)
	}
	defer content.Close()
	return Read(content)
}

// shown is how many levels pages draw.
const shown = 48

// Listen reads a file, and returns what pages show of a recording; nothing, if it is none.
func Listen(content io.Reader) chat.Sound {
	r, err := Read(content)
	if err != nil {
		return chat.Sound{}
	}
	levels, n := make([]byte, shown), len(r.Waveform)
	for i := range levels {
		from := i * n / shown
		levels[i] = slices.Max(r.Waveform[from:max((i+1)*n/shown, from+1)])
	}
	return chat.Sound{DurationMs: r.Duration.Milliseconds(), Waveform: base64.StdEncoding.EncodeToString(levels)}
}

// Read reads a recording of at most maxSize bytes. It keeps one page of it.
func Read(content io.Reader) (Recording, error) {
	s, err := readStream(io.LimitReader(content, maxSize))
	if err != nil {
		return Recording{}, err
	}
	duration, err := s.duration()
	if err != nil {
		return Recording{}, err
	}
	return Recording{Duration: duration, Waveform: s.levels.waveform()}, nil
}
