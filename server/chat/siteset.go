package chat

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
)

// SiteSet are sites by their ids inside relay: those that somebody answers, or asks for. nil
// is all sites, also those that are added later.
type SiteSet []string

// Has reports whether a site is in the set.
func (s SiteSet) Has(site string) bool { return s == nil || slices.Contains(s, site) }

// Within reports whether every site of the set is in the other one.
func (s SiteSet) Within(other SiteSet) bool {
	if s == nil {
		return other == nil
	}
	return !slices.ContainsFunc(s, func(site string) bool { return !other.Has(site) })
}

// Equal reports whether two sets are the same; both are in the same order.
func (s SiteSet) Equal(other SiteSet) bool {
	return (s == nil) == (other == nil) && slices.Equal(s, other)
}

// And returns the sites that are in both sets.
func (s SiteSet) And(other SiteSet) SiteSet {
	if s == nil {
		return other
	}
	both := SiteSet{}
	for _, site := range s {
		if other.Has(site) {
			both = append(both, site)
		}
	}
	return both
}

// Meets reports whether a site is in both sets.
func (s SiteSet) Meets(other SiteSet) bool {
	both := s.And(other)
	return both == nil || len(both) > 0
}

// Names are the sites' public ids, nil for all.
func (s SiteSet) Names() []string {
	if s == nil {
		return nil
	}
	names := make([]string, len(s))
	for i, site := range s {
		names[i] = SiteName(site)
	}
	return names
}

// MarshalJSON renders the sites' public ids, all of them as null.
func (s SiteSet) MarshalJSON() ([]byte, error) {
	return json.Marshal(s.Names())
}

// Value stores all sites as "", others as a JSON list.
func (s SiteSet) Value() (driver.Value, error) {
	if s == nil {
		return "", nil
	}
	return string(MustJSON([]string(s))), nil
}

// Scan reads what Value stored.
func (s *SiteSet) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read sites from %T", src)
	}
	*s = nil
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), (*[]string)(s))
}

// SetOf returns those of the sites with these public ids; or an error that names the first
// that is not among them.
func (s *Sites) SetOf(names []string, among SiteSet) (SiteSet, error) {
	set := SiteSet{}
	for _, name := range names {
		site, err := s.Named(name)
		if err != nil || !among.Has(site.ID) {
			return nil, ErrorAt(Invalid, "sites", "There is no site “"+Clip(OneLine(name), MaxSiteID)+"”")
		}
		if !slices.Contains(set, site.ID) {
			set = append(set, site.ID)
		}
	}
	if len(set) == 0 {
		return nil, ErrorAt(Invalid, "sites", "sites must name one site or more, or be null for all")
	}
	slices.Sort(set)
	return set, nil
}

// In lists those of the sites that are in a set, in their order.
func (s *Sites) In(set SiteSet) []Site {
	if set == nil {
		return s.list
	}
	return slices.DeleteFunc(slices.Clone(s.list), func(site Site) bool { return !set.Has(site.ID) })
}
