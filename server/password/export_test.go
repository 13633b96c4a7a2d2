package password

// Occupy takes all slots until release is called.
func (h *Hasher) Occupy() (release func()) {
	for range atOnce {
		h.slots <- struct{}{}
	}
	return func() {
		for range atOnce {
			<-h.slots
		}
	}
}
