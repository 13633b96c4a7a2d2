package voice

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"time"
)

// Flags of a page (RFC 3533, 6).
const (
	pageContinues = 1
	pageBegins    = 2
)

// Opus counts at 48 kHz, and a packet lasts at most 120 ms in at most 61,440 bytes
// (RFC 6716, RFC 7845).
const (
	perMillisecond = 48
	longest        = 120 * perMillisecond
	maxPacket      = 61440
)

// page is the head of a page.
type page struct {
	Sign     [4]byte
	Version  byte
	Flags    byte
	Position int64 // samples until the last packet that ends here, -1 if none does
	Serial   uint32
	_        [8]byte // the page's number and checksum
	Segments byte
}

// stream is what was read of an Opus stream.
type stream struct {
	serial   uint32
	skipped  int64 // samples at the start that are not played
	position int64 // the last page's
	packets  int   // with the two headers
	begun    int   // bytes so far of a packet that goes on, -1 if none does
	levels   levels
}

// readStream reads a file to its end. A file of several streams, or one that is cut off,
// is foreign.
func readStream(content io.Reader) (*stream, error) {
	in := bufio.NewReader(content)
	s := &stream{begun: -1, levels: newLevels()}
	for n := 0; ; n++ {
		var p page
		err := binary.Read(in, binary.LittleEndian, &p)
		if n > 0 && errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil || string(p.Sign[:]) != "OggS" || p.Version != 0 || (p.Flags&pageBegins != 0) != (n == 0) {
			return nil, errForeign
		}
		if n == 0 {
			err = s.begin(in, &p)
		} else {
			err = s.follow(in, &p)
		}
		if err != nil {
			return nil, err
		}
	}
}

// begin reads the first page, which holds the first header only (RFC 7845, 5.1).
func (s *stream) begin(in *bufio.Reader, p *page) error {
	var head struct {
		Size     byte
		Sign     [8]byte
		Version  byte
		Channels byte
		Skipped  uint16
	}
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil {
		return errForeign
	}
	rest := int(head.Size) - binary.Size(head) + 1
	if p.Segments != 1 || head.Size == 255 || rest < 0 || string(head.Sign[:]) != "OpusHead" || head.Version > 15 {
		return errForeign
	}
	s.serial, s.skipped, s.packets = p.Serial, int64(head.Skipped), 1
	return skip(in, rest)
}

// follow reads a page behind the first.
func (s *stream) follow(in *bufio.Reader, p *page) error {
	lacing := make([]byte, p.Segments)
	if _, err := io.ReadFull(in, lacing); err != nil || p.Serial != s.serial || (p.Flags&pageContinues != 0) != (s.begun >= 0) {
		return errForeign
	}
	size := 0
	for _, n := range lacing {
		size += int(n)
		if err := s.segment(int(n)); err != nil {
			return err
		}
	}
	if p.Position != -1 {
		s.position = p.Position
	}
	return skip(in, size)
}

// segment adds a segment to its packet, which ends with one under 255 bytes.
func (s *stream) segment(n int) error {
	s.begun = max(s.begun, 0) + n
	if n == 255 {
		return nil
	}
	if s.packets++; s.packets > 2 { // behind the headers
		if s.begun > maxPacket {
			return errForeign
		}
		s.levels.add(s.begun)
	}
	s.begun = -1
	return nil
}

// duration is how long the stream plays: no longer than its packets can.
func (s *stream) duration() (time.Duration, error) {
	samples := s.position - s.skipped
	if s.begun >= 0 || samples < perMillisecond || samples > int64(s.levels.packets)*longest {
		return 0, errForeign
	}
	return time.Duration(samples/perMillisecond) * time.Millisecond, nil
}

func skip(in *bufio.Reader, n int) error {
	if _, err := in.Discard(n); err != nil {
		return errForeign
	}
	return nil
}
