package chat

// Launcher is the button of a site's widget, as far as it is the site's own.
type Launcher struct {
	// Label stands beside the icon.
	Label string `json:"label,omitempty"`
	// Picture is the address of what is there in place of the icon.
	Picture string `json:"picture,omitempty"`
	// Hidden: the site's pages have buttons of their own.
	Hidden bool `json:"hidden,omitempty"`
}

// Launcher returns the launcher of a site; it is empty where nothing is its own.
func (s *Settings) Launcher(site string) Launcher {
	if s.Bool("launcherHidden") {
		return Launcher{Hidden: true}
	}
	own := Launcher{Label: s.Text("launcherLabel"), Picture: s.Text(launcherPicture)}
	if value := s.values[launcherPicture]; holdsPicture(value) {
		own.Picture = PicturesPath + SiteName(site) + "?of=" + LauncherOf + "&v=" + pictureVersion(value)
	}
	return own
}
