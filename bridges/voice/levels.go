package voice

import "slices"

// maxLevels is how many levels a waveform has at most.
const maxLevels = 256

// levels keeps the largest packet of each slice of a recording whose length is not
// known yet: once there are too many slices, two become one.
type levels struct {
	slices  []int
	width   int // packets in a slice
	packets int
}

func newLevels() levels { return levels{width: 1} }

func (l *levels) add(size int) {
	if l.packets == l.width*len(l.slices) {
		l.next()
	}
	last := len(l.slices) - 1
	l.slices[last] = max(l.slices[last], size)
	l.packets++
}

// next begins a slice.
func (l *levels) next() {
	if len(l.slices) == maxLevels {
		for i := range maxLevels / 2 {
			l.slices[i] = max(l.slices[2*i], l.slices[2*i+1])
		}
		l.slices, l.width = l.slices[:maxLevels/2], 2*l.width
	}
	l.slices = append(l.slices, 0)
}

// waveform spreads the sizes over all levels. A recording of a constant rate shows an even
// line.
func (l *levels) waveform() []byte {
	low, high := slices.Min(l.slices), slices.Max(l.slices)
	wave := make([]byte, len(l.slices))
	for i, size := range l.slices {
		wave[i] = 128
		if high > low {
			wave[i] = byte(255 * (size - low) / (high - low))
		}
	}
	return wave
}
