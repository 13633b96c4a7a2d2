package passkey

import "encoding/binary"

// The major types of CBOR (RFC 8949).
const (
	majorUnsigned = iota
	majorNegative
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple
)

// Bounds of what is read. Authenticators send maps of five entries, two levels deep.
const (
	maxDepth   = 8
	maxEntries = 64
)

// reader reads CBOR in the form that authenticators must use (CTAP2): definite lengths in
// as few bytes as possible, no tags. After a failure it reads nothing more.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) fail() {
	r.data, r.failed = nil, true
}

// head reads the beginning of an item: its major type and its number or length.
func (r *reader) head() (major byte, n uint64) {
	if len(r.data) == 0 {
		r.fail()
		return 0, 0
	}
	major, info := r.data[0]>>5, r.data[0]&31
	r.data = r.data[1:]
	if info < 24 {
		return major, uint64(info)
	}
	width := 1 << (info - 24)
	if info > 27 || len(r.data) < width || major == majorSimple && info == 24 {
		r.fail()
		return 0, 0
	}
	var wide [8]byte
	copy(wide[8-width:], r.data)
	r.data = r.data[width:]
	n = binary.BigEndian.Uint64(wide[:])
	if least := [...]uint64{24, 1 << 8, 1 << 16, 1 << 32}[info-24]; n < least && major != majorSimple {
		r.fail()
	}
	return major, n
}

// string reads bytes or text.
func (r *reader) string(want byte) []byte {
	major, n := r.head()
	if r.failed || major != want || n > uint64(len(r.data)) {
		r.fail()
		return nil
	}
	s := r.data[:n:n]
	r.data = r.data[n:]
	return s
}

func (r *reader) bytes() []byte { return r.string(majorBytes) }
func (r *reader) text() []byte  { return r.string(majorText) }

// mapLength reads the beginning of a map.
func (r *reader) mapLength() int {
	major, n := r.head()
	if r.failed || major != majorMap || n > maxEntries {
		r.fail()
		return 0
	}
	return int(n)
}

// integer reads a number from -2^31 to 2^31-1.
func (r *reader) integer() int {
	major, n := r.head()
	switch {
	case r.failed || major > majorNegative || n >= 1<<31:
		r.fail()
		return 0
	case major == majorNegative:
		return -1 - int(n)
	}
	return int(n)
}

// skip reads over one item with all that it holds.
func (r *reader) skip(depth int) {
	major, n := r.head()
	items := n
	switch major {
	case majorBytes, majorText:
		if n > uint64(len(r.data)) {
			r.fail()
			return
		}
		r.data = r.data[n:]
		return
	case majorArray:
	case majorMap:
		items *= 2
	case majorTag:
		r.fail()
		return
	default:
		return
	}
	if depth >= maxDepth || n > maxEntries {
		r.fail()
	}
	for i := uint64(0); i < items && !r.failed; i++ {
		r.skip(depth + 1)
	}
}
