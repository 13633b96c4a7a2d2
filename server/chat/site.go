package chat

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// What the world calls the first site, and the settings that all sites share.
const (
	// FirstSite is the name of the site whose id is "" inside relay. Everybody begins with
	// it, and never reads the name before there is a second.
	FirstSite = "main"
	AllSites  = "all"
)

// Limits of a site.
const (
	MaxSites       = 10_000
	MaxSiteID      = 40
	maxSiteName    = 60
	maxSiteOrigins = 50
)

// Site is a website under whose name visitors meet the team.
type Site struct {
	ID      string `db:"id"` // a short name for addresses, kept for ever; "" is the first
	Name    string `db:"name"`
	NameKey string `db:"name_key"` // see [NameKey]; no two sites share it
	Address string `db:"address"`  // of the website, like https://shop.example; "" is unknown
	Color   string `db:"color"`    // that operators tell it by, like #3b5bdb
	// Key is the public key of its widget, "" of the first one, whose key is kept with the
	// secret one.
	Key string `db:"public_key"`
	// Origins are the only ones whose pages may use the key; none means any.
	Origins    JSON[[]string] `db:"origins"`
	CreatedAt  Time           `db:"created_at"`
	ArchivedAt Time           `db:"archived_at"` // since when its chat is closed, 0 for open ones
	ErasedAt   Time           `db:"erased_at"`   // since when it is being erased, 0 for others
}

// The errors of sites.
var (
	ErrSiteNotFound = &Error{Kind: NotFound, Text: "Site not found"}
	// ErrSiteArchived is what visitors of an archived site get.
	ErrSiteArchived = &Error{Kind: Forbidden, Text: "This chat is closed"}
)

// PublicID is what the world calls the site.
func (s *Site) PublicID() string { return SiteName(s.ID) }

// SiteName is the public id of a site.
func SiteName(id string) string {
	if id == "" {
		return FirstSite
	}
	return id
}

// Label is what people call the site: its name, or else where it is.
func (s *Site) Label() string {
	if s.Name != "" {
		return s.Name
	}
	if u, err := url.Parse(s.Address); err == nil && u.Host != "" {
		return u.Host
	}
	return "First site"
}

// Allows reports whether pages of an origin may use the site's key.
func (s *Site) Allows(origin string) bool {
	return len(s.Origins.V) == 0 || slices.Contains(s.Origins.V, origin)
}

var isSiteID = Pattern(`[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?`)

// CheckSiteID accepts ids that a new site may have.
func CheckSiteID(id string) error {
	switch {
	case id == FirstSite || id == AllSites:
		return ErrorAt(Invalid, "id", "“"+id+"” has a meaning of its own; choose another id")
	case !isSiteID(id):
		return ErrorAt(Invalid, "id", "id must be 1 to 40 small letters a to z, digits and hyphens, and begin and end with a letter or digit, like shop-berlin")
	}
	return nil
}

var isPublicKey = Pattern(`[A-Za-z0-9_-]{8,200}`)

// Check tidies a site's fields and reports the first that is wrong.
func (s *Site) Check() error {
	s.Name = OneLine(s.Name)
	s.NameKey = NameKey(s.Name)
	s.Address = strings.TrimRight(strings.TrimSpace(s.Address), "/")
	s.Color = strings.ToLower(s.Color)
	switch {
	case s.Name == "" && s.ID != "":
		return ErrorAt(Invalid, "name", "name is required: what your team calls the site, like Shop Berlin")
	case utf8.RuneCountInString(s.Name) > maxSiteName:
		return ErrorAt(Invalid, "name", "name must be at most 60 characters")
	case s.Address != "" && !IsBaseURL(s.Address):
		return ErrorAt(Invalid, "address", "address must be the website's, like https://shop.example.com")
	case s.Key != "" && !isPublicKey(s.Key):
		return ErrorAt(Invalid, "publicKey", "publicKey must be 8 to 200 letters, digits, _ or -, or be left out: relay makes one")
	case s.Color != "" && !isColour(s.Color):
		return ErrorAt(Invalid, "color", "color must be a colour like #3b5bdb")
	case len(s.Origins.V) > maxSiteOrigins:
		return ErrorAt(Invalid, "origins", "origins must be at most 50")
	}
	origins := []string{}
	for _, given := range s.Origins.V {
		origin, ok := TidyOrigin(given)
		if !ok {
			return ErrorAt(Invalid, "origins", "origins must be origins like https://shop.example.com, without a path; “"+Clip(OneLine(given), MaxName)+"” is none")
		}
		origins = append(origins, origin)
	}
	s.Origins = Of(origins)
	return nil
}

// usualPorts are those that browsers leave out.
var usualPorts = map[string]string{"http": ":80", "https": ":443"}

// TidyOrigin brings an origin into the form in which browsers send theirs, and reports
// whether it is one.
func TidyOrigin(given string) (origin string, ok bool) {
	origin = strings.ToLower(strings.TrimRight(given, "/"))
	u, err := url.Parse(origin)
	if err != nil || !IsBaseURL(origin) || u.Path != "" || strings.Contains(u.Host, "*") || strings.ContainsFunc(origin, notPrintable) {
		return "", false
	}
	return strings.TrimSuffix(origin, usualPorts[u.Scheme]), true
}

// notPrintable reports whether a header cannot carry the letter as it is.
func notPrintable(r rune) bool { return r <= ' ' || r > '~' }
