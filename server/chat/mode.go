package chat

// Mode is what relay serves: a website's visitors, or a backend that has its own.
type Mode string

// The two modes; "" is community mode.
const (
	ModeCommunity Mode = "community"
	ModeBridge    Mode = "bridge"
)
