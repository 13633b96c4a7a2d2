package chat

import "cmp"

// SitesFile is what a file declares of sites. It wins over what is stored, and is changed in
// the file alone.
type SitesFile struct {
	Name  string         `json:"name"` // the file's, without its folder
	Sites []DeclaredSite `json:"sites"`
}

// DeclaredSite is a site in a file. What it leaves out is as for any other site.
type DeclaredSite struct {
	ID       string         `json:"id"` // inside relay: "" is the first
	Name     *string        `json:"siteName,omitempty"`
	Address  *string        `json:"address,omitempty"`
	Color    *string        `json:"color,omitempty"`
	Key      *string        `json:"publicKey,omitempty"`
	Origins  *[]string      `json:"origins,omitempty"`
	Settings map[string]Raw `json:"settings,omitempty"`
	// Where is the place in the file, for mistakes: "sites.yaml line 3".
	Where string `json:"-"`
}

// Declares reports whether the file declares a site; no file declares none.
func (f *SitesFile) Declares(id string) bool {
	if f == nil {
		return false
	}
	for i := range f.Sites {
		if f.Sites[i].ID == id {
			return true
		}
	}
	return false
}

// Alone makes the sites of a file where nothing is stored; no file makes the first alone.
func (f *SitesFile) Alone(relay *Settings) *Sites {
	var list []Site
	if f != nil {
		for i := range f.Sites {
			d := &f.Sites[i]
			list = append(list, Site{ID: d.ID, Name: cmp.Or(valueOf(d.Name), d.ID)})
		}
	}
	return SitesOf(list, relay, nil, f)
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Declared returns what the file says of a site, and the file's name; nil, when it is not
// in it.
func (s *Sites) Declared(id string) (d *DeclaredSite, file string) {
	if d = s.declared[id]; d == nil {
		return nil, ""
	}
	return d, s.file.Name
}

// File returns the file that declares sites, nil for none.
func (s *Sites) File() *SitesFile { return s.file }

// declare puts the settings that a file declares over the stored ones.
func (s *Sites) declare(file *SitesFile) {
	if file == nil {
		return
	}
	s.file, s.declared = file, map[string]*DeclaredSite{}
	for i := range file.Sites {
		d := &file.Sites[i]
		if s.byID[d.ID] != nil {
			s.declared[d.ID] = d
			s.settings[d.ID] = s.settings[d.ID].over(d.Settings, FromFile)
		}
	}
}
