package voice_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/voice"
	"github.com/relay-chat/relay/server/chat"
)

// A recording is described by the sizes of its packets.
func TestRead(t *testing.T) {
	long := make([]int, 3000) // a minute that gets louder
	for i := range long {
		long[i] = 10 + i/10
	}
	for name, c := range map[string]struct {
		sizes    []int
		duration time.Duration
		wave     []byte
	}{
		"one packet":    {[]int{80}, 20 * time.Millisecond, []byte{128}},
		"constant rate": {[]int{80, 80, 80}, 60 * time.Millisecond, []byte{128, 128, 128}},
		"speech":        {[]int{3, 103, 53, 0}, 80 * time.Millisecond, []byte{7, 255, 131, 0}},
		"long packets":  {[]int{255, 510, 765}, 60 * time.Millisecond, []byte{0, 127, 255}},
		"a minute":      {long, time.Minute, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := voice.Read(strings.NewReader(bridgetest.Recording(c.sizes...)))
			if err != nil || got.Duration != c.duration || c.wave != nil && !slices.Equal(got.Waveform, c.wave) {
				t.Errorf("it is %v, %v (%v), want %v, %v", got.Duration, got.Waveform, err, c.duration, c.wave)
			}
			if n := len(got.Waveform); c.wave == nil && (n <= 128 || n > 256 || !slices.IsSorted(got.Waveform) || got.Waveform[n-1] != 255) {
				t.Errorf("the waveform is %v", got.Waveform)
			}
		})
	}
}

// change returns a recording with other bytes at a place.
func change(at int, bytes string) string {
	whole := bridgetest.Recording(80, 90, 100)
	if at < 0 {
		at += len(whole)
	}
	return whole[:at] + bytes + whole[min(at+len(bytes), len(whole)):]
}

// The places in a recording: of its pages, and in the first one of the header.
const (
	header    = 28
	tags      = header + 19
	audio     = tags + 28 + 21
	flags     = 5
	position  = 6
	serial    = 14
	skippedAt = header + 10
)

// A file that is not one whole Opus stream is no recording.
func TestForeign(t *testing.T) {
	whole := change(0, "")
	if _, err := voice.Read(strings.NewReader(whole)); err != nil {
		t.Fatal("the recording itself is wrong:", err)
	}
	for name, content := range map[string]string{
		"nothing":                   "",
		"text":                      "just a text that somebody named voice.ogg",
		"the sign alone":            "OggS",
		"cut in a page":             whole[:len(whole)-1],
		"cut in a page's head":      whole[:audio+20],
		"cut in the sizes":          whole[:audio+28],
		"headers only":              whole[:audio],
		"first page only":           whole[:tags],
		"something behind it":       whole + "x",
		"another recording behind":  whole + whole,
		"a page of another version": change(audio+4, "\x01"),
		"Vorbis":                    change(header, "\x01vorbis\x00"),
		"a header too short":        change(header-1, "\x0b"),
		"a new Opus":                change(header+8, "\x10"),
		"another stream's page":     change(audio+serial, "\x09"),
		"a second beginning":        change(audio+flags, "\x02"),
		"nothing to continue":       change(audio+flags, "\x01"),
		"no beginning":              change(flags, "\x00"),
		"no position":               change(audio+position, "\xff\xff\xff\xff\xff\xff\xff\xff"),
		"a negative position":       change(audio+position, "\x00\x00\x00\x00\x00\x00\x00\x80"),
		"an endless position":       change(audio+position, "\xff\xff\xff\xff\xff\xff\xff\x7f"),
		"all is skipped":            change(skippedAt, "\xff\xff"),
		"a packet without an end":   change(audio+27, "\x50\x5a\xff") + strings.Repeat("x", 155),
	} {
		if got, err := voice.Read(strings.NewReader(content)); err == nil {
			t.Errorf("%s: it is %+v", name, got)
		}
	}
	if _, err := voice.Read(strings.NewReader(bridgetest.Recording(70000))); err == nil {
		t.Error("a packet that no Opus has is accepted")
	}
}

// A file is opened only if it may be a recording.
func TestOf(t *testing.T) {
	file := func(kind string, size int64) *chat.OpFile {
		f := bridgetest.File("v.ogg", kind, bridgetest.Recording(80))
		f.Size += size
		return f
	}
	for name, f := range map[string]*chat.OpFile{"Ogg": file("audio/ogg", 0), "Opus": file("audio/opus", 0), "with its codec": file("audio/ogg; codecs=opus", 0)} {
		if got, err := voice.Of(t.Context(), f); err != nil || got.Duration == 0 {
			t.Errorf("%s: it is %+v, %v", name, got, err)
		}
	}
	away := file("audio/ogg", 0)
	away.Open = func(context.Context) (io.ReadCloser, error) { return nil, errors.New("the disk is away") }
	for name, f := range map[string]*chat.OpFile{"a picture": file("image/png", 0), "a film's size": file("audio/ogg", 1<<30), "away": away} {
		if got, err := voice.Of(t.Context(), f); err == nil {
			t.Errorf("%s: it is %+v", name, got)
		}
	}
}

// FuzzRead: whatever a file holds, what is said of it is within bounds.
func FuzzRead(f *testing.F) {
	f.Add([]byte(change(0, "")))
	f.Add([]byte(bridgetest.Recording(make([]int, 700)...)))
	f.Add([]byte(bridgetest.Recording(255, 510, 3)))
	f.Add([]byte(change(audio+position, "\xff\xff\xff\xff\xff\xff\xff\x7f")))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := voice.Read(strings.NewReader(string(content)))
		if err != nil {
			return
		}
		most := time.Duration(len(content)) * 120 * time.Millisecond
		if got.Duration <= 0 || got.Duration > most || len(got.Waveform) == 0 || len(got.Waveform) > 256 {
			t.Errorf("%d bytes are %v with %d levels", len(content), got.Duration, len(got.Waveform))
		}
	})
}

// TestListen: pages draw 48 levels, each the loudest of its part; of what is no recording,
// nothing.
func TestListen(t *testing.T) {
	loud := make([]int, 200)
	loud[100] = 250
	got := voice.Listen(strings.NewReader(bridgetest.Recording(loud...)))
	levels, err := base64.StdEncoding.DecodeString(got.Waveform)
	if err != nil || got.DurationMs != 4000 || len(levels) != 48 || slices.Max(levels) != 255 || levels[24] != 255 {
		t.Errorf("it shows %d ms, %v (%v)", got.DurationMs, levels, err)
	}
	if got := voice.Listen(strings.NewReader(bridgetest.Recording(3, 103, 53))); got != (chat.Sound{DurationMs: 60, Waveform: base64.StdEncoding.EncodeToString(slices.Concat(bytes.Repeat([]byte{0}, 16), bytes.Repeat([]byte{255}, 16), bytes.Repeat([]byte{127}, 16)))}) {
		t.Errorf("a short one shows %v", got)
	}
	for _, none := range []string{"", "OggS", "<html>", bridgetest.Recording(3, 103)[:90]} {
		if got := voice.Listen(strings.NewReader(none)); got != (chat.Sound{}) {
			t.Errorf("%q shows %v", none, got)
		}
	}
}
