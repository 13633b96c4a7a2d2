package chat

// SiteLook is what a website says about its own look, to begin the widget's with.
type SiteLook struct {
	Name  string `json:"name,omitempty"`
	Icon  string `json:"icon,omitempty"`  // an address with https://
	Color string `json:"color,omitempty"` // like #3b5bdb
}
