package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// metaSitesFile holds what the file of sites declares, since the last start: so commands and
// other nodes know it, too.
const metaSitesFile = "sites_file"

// DeclarationError is a declared site that does not go with what is stored.
type DeclarationError struct {
	Where string
	Err   error
}

func (e *DeclarationError) Error() string { return e.Where + ": " + e.Err.Error() }

func (e *DeclarationError) Unwrap() error { return e.Err }

// sitesFile reads what the file of sites declares, nil for none.
func sitesFile(rd interface{ Meta(string) (string, error) }) (*chat.SitesFile, error) {
	text, err := rd.Meta(metaSitesFile)
	if err != nil || text == "" {
		return nil, err
	}
	file := new(chat.SitesFile)
	return file, json.Unmarshal([]byte(text), file)
}

// DeclareSites stores the sites of a file, nil for none. A site that the file declared
// before stays as it was last, and is like any other. An error is a [DeclarationError] if
// a site of the file is wrong; then nothing is stored.
func (c *configuration) DeclareSites(ctx context.Context, file *chat.SitesFile) error {
	if file == nil && c.Sites().File() == nil {
		return nil
	}
	return c.changeSites(ctx, func(tx chat.Tx, all []chat.Site) error {
		before, err := sitesFile(tx)
		if err != nil {
			return err
		}
		if err := releaseSites(tx, before, file, all); err != nil || file == nil {
			return errors.Join(err, tx.PutMeta(metaSitesFile, ""))
		}
		if err := declareSites(tx, file, all); err != nil {
			return err
		}
		return tx.PutMeta(metaSitesFile, string(chat.MustJSON(file)))
	})
}

// releaseSites lets the sites that a file no longer declares keep its settings.
func releaseSites(tx chat.Tx, before, now *chat.SitesFile, all []chat.Site) error {
	if before == nil {
		return nil
	}
	var errs []error
	for _, d := range before.Sites {
		if now.Declares(d.ID) || d.ID != "" && indexOfSite(all, d.ID) < 0 {
			continue
		}
		for name, value := range d.Settings {
			errs = append(errs, tx.PutSiteSetting(d.ID, name, value))
		}
	}
	return errors.Join(errs...)
}

func indexOfSite(all []chat.Site, id string) int {
	return slices.IndexFunc(all, func(s chat.Site) bool { return s.ID == id })
}

// declareSites stores the fields of the declared sites.
func declareSites(tx chat.Tx, file *chat.SitesFile, all []chat.Site) error {
	next := slices.Clone(all)
	places := map[string]int{}
	for i := range next {
		places[next[i].ID] = i
	}
	for i := range file.Sites {
		d := &file.Sites[i]
		at, stored := places[d.ID]
		if !stored {
			at, next = len(next), append(next, newSite(d.ID))
			places[d.ID] = at
		}
		in := SiteChange{Name: d.Name, Address: d.Address, Color: d.Color, Key: d.Key, Origins: d.Origins}
		if err := in.apply(&next[at]); err != nil {
			return &DeclarationError{d.Where, err}
		}
	}
	if len(next) > chat.MaxSites {
		return &DeclarationError{file.Sites[len(file.Sites)-1].Where, chat.Errorf(chat.Conflict, "there would be %d sites; %d is the most", len(next), chat.MaxSites)}
	}
	if err := taken(file, next, places); err != nil {
		return err
	}
	return storeChanged(tx, all, next)
}

// taken refuses a declared site with the name or key of another. Two in the file differ.
func taken(file *chat.SitesFile, next []chat.Site, places map[string]int) error {
	names, keys := map[string]*chat.Site{}, map[string]*chat.Site{}
	declared := map[string]bool{}
	for i := range file.Sites {
		declared[file.Sites[i].ID] = true
	}
	for i := range next {
		if s := &next[i]; !declared[s.ID] {
			names[s.NameKey], keys[s.Key] = s, s
		}
	}
	for i := range file.Sites {
		d := &file.Sites[i]
		s := &next[places[d.ID]]
		if other := names[s.NameKey]; other != nil && s.NameKey != "" {
			return &DeclarationError{d.Where, chat.Errorf(chat.Conflict, "the site %s is called “%s” already; choose another name", other.PublicID(), other.Name)}
		}
		if other := keys[s.Key]; other != nil && s.Key != "" {
			return &DeclarationError{d.Where, chat.Errorf(chat.Conflict, "the site %s has this public key already; choose another", other.PublicID())}
		}
	}
	return nil
}

// storeChanged stores the sites that differ. Names and keys may change places: first those
// that change go.
func storeChanged(tx chat.Tx, all, next []chat.Site) error {
	var changed []*chat.Site
	for i := range next {
		if i >= len(all) {
			changed = append(changed, &next[i])
			continue
		}
		if reflect.DeepEqual(all[i], next[i]) {
			continue
		}
		changed = append(changed, &next[i])
		between := all[i]
		between.NameKey, between.Key = "\x01"+between.ID, "\x01"+between.ID
		if err := tx.PutSite(&between); err != nil {
			return err
		}
	}
	for _, s := range changed {
		if err := tx.PutSite(s); err != nil {
			return err
		}
	}
	return nil
}

// declaredElsewhere is the error of a change of what a file declares.
func (c *configuration) declaredElsewhere(site, field, file string) error {
	return chat.ErrorAt(chat.Conflict, field, field+" of the site “"+c.Sites().Of(site).Label()+"” is set in "+file+"; change it there and restart relay")
}

// refuseDeclaredFields refuses a change of fields that a file gives.
func (c *configuration) refuseDeclaredFields(id string, in *SiteChange) error {
	d, file := c.Sites().Declared(id)
	if d == nil {
		return nil
	}
	for _, f := range []struct {
		name            string
		given, declared *string
	}{{"name", in.Name, d.Name}, {"address", in.Address, d.Address}, {"color", in.Color, d.Color}, {"publicKey", in.Key, d.Key}} {
		if f.given != nil && f.declared != nil && *f.given != *f.declared {
			return c.declaredElsewhere(id, f.name, file)
		}
	}
	if in.Origins != nil && d.Origins != nil && !slices.Equal(*in.Origins, *d.Origins) {
		return c.declaredElsewhere(id, "origins", file)
	}
	return nil
}

// refuseDeclared refuses changes of settings that a file gives. Those that change nothing
// are left out: forms send all their fields.
func (c *configuration) refuseDeclared(site string, changes map[string]chat.Raw) error {
	d, file := c.Sites().Declared(site)
	if d == nil {
		return nil
	}
	for name, value := range changes {
		switch declared, given := d.Settings[name]; {
		case !given:
		case sameJSON(value, declared):
			delete(changes, name)
		default:
			return c.declaredElsewhere(site, name, file)
		}
	}
	return nil
}

func sameJSON(a, b chat.Raw) bool {
	var one, other bytes.Buffer
	return json.Compact(&one, a) == nil && json.Compact(&other, b) == nil && bytes.Equal(one.Bytes(), other.Bytes())
}

// switchDeclaredOff sets a declared setting to false until the next start. The caller holds
// patching.
func (c *configuration) switchDeclaredOff(ctx context.Context, site, name string) error {
	return c.apply(ctx, func(tx chat.Tx) error {
		if _, err := tx.LockMeta(lockSites); err != nil {
			return err
		}
		file, err := sitesFile(tx)
		if err != nil || file == nil {
			return err
		}
		for i := range file.Sites {
			if d := &file.Sites[i]; d.ID == site {
				d.Settings[name] = chat.Raw("false")
			}
		}
		return tx.PutMeta(metaSitesFile, string(chat.MustJSON(file)))
	})
}
