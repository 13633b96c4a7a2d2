package bridgetest

import (
	"bytes"
	"encoding/binary"
)

// Packets of a recording: each lasts 20 ms.
const (
	perPage     = 50
	perPacket   = 960 // samples
	preSkip     = 312
	recordingID = 7
)

// Recording is an Ogg/Opus file with packets of these sizes, without sound or checksums.
func Recording(sizes ...int) string {
	var out bytes.Buffer
	opusHead := append([]byte("OpusHead\x01\x01"), binary.LittleEndian.AppendUint16(nil, preSkip)...)
	opusHead = append(opusHead, make([]byte, 7)...)
	writePage(&out, 2, 0, len(opusHead))
	out.Write(opusHead)
	opusTags := "OpusTags\x05\x00\x00\x00relay\x00\x00\x00\x00"
	writePage(&out, 0, 0, len(opusTags))
	out.WriteString(opusTags)
	for at := 0; at < len(sizes); at += perPage {
		packets := sizes[at:min(at+perPage, len(sizes))]
		writePage(&out, 0, int64(at+len(packets))*perPacket+preSkip, packets...)
		for _, size := range packets {
			out.Write(make([]byte, size))
		}
	}
	return out.String()
}

// writePage writes the head of a page.
func writePage(out *bytes.Buffer, flags byte, position int64, sizes ...int) {
	var lacing []byte
	for _, size := range sizes {
		lacing = append(lacing, bytes.Repeat([]byte{255}, size/255)...)
		lacing = append(lacing, byte(size%255))
	}
	out.WriteString("OggS\x00")
	out.WriteByte(flags)
	_ = binary.Write(out, binary.LittleEndian, position)
	_ = binary.Write(out, binary.LittleEndian, uint32(recordingID))
	out.Write(make([]byte, 8))
	out.WriteByte(byte(len(lacing)))
	out.Write(lacing)
}
