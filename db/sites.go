package db

import (
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

const selectSites = `SELECT id, name, name_key, address, color, public_key, origins, created_at, archived_at, erased_at FROM sites`

// Sites implements [chat.Reader].
func (t *tx) Sites() ([]chat.Site, error) { return list[chat.Site](t, selectSites) }

const upsertSite = `INSERT INTO sites (id, name, name_key, address, color, public_key, origins, created_at, archived_at, erased_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, address = excluded.address, color = excluded.color,
		public_key = excluded.public_key, origins = excluded.origins, archived_at = excluded.archived_at, erased_at = excluded.erased_at`

// PutSite implements [chat.Tx].
func (t *tx) PutSite(s *chat.Site) error {
	_, err := t.q.exec(upsertSite, s.ID, s.Name, s.NameKey, s.Address, s.Color, s.Key, s.Origins, int64(s.CreatedAt), int64(s.ArchivedAt), int64(s.ErasedAt))
	return wrap(err, "put site %s", s.ID)
}

const deleteSite = `DELETE FROM sites WHERE id = ? AND NOT EXISTS (SELECT 1 FROM sessions WHERE site = ? AND site <> '')`

const (
	deleteSiteSettings  = `DELETE FROM site_settings WHERE site = ?`
	mailAddressesOfSite = `DELETE FROM mail_addresses WHERE site = ?`
)

const (
	pagesOfSite   = `SELECT p.number FROM pages p JOIN sources s ON s.number = p.source WHERE s.site = ? LIMIT 100`
	sourcesOfSite = `DELETE FROM sources WHERE site = ?`
	answersOfSite = `DELETE FROM saved_answers WHERE site = ?`
)

// DropSite implements [chat.Tx]. What is known and saved for its visitors alone goes first,
// a hundred pages at a time.
func (t *tx) DropSite(id string) (bool, error) {
	if dropped, err := t.dropPages(pagesOfSite, id); err != nil || dropped > 0 {
		return false, wrap(err, "drop the knowledge of site %s", id)
	}
	for _, query := range []string{sourcesOfSite, answersOfSite, incomingOfSite, topicsOfSite, actionsOfSite} {
		if _, err := t.q.exec(query, id); err != nil {
			return false, wrap(err, "drop what site %s has", id)
		}
	}
	if _, err := t.q.exec(hooksOfSite, int64(chat.Now()), id); err != nil {
		return false, wrap(err, "end the webhooks of site %s", id)
	}
	n, err := t.q.exec(deleteSite, id, id)
	if err == nil && n > 0 {
		for _, query := range []string{deleteSiteSettings, mailAddressesOfSite, contactsOfSite} {
			_, failed := t.q.exec(query, id)
			err = errors.Join(err, failed)
		}
		err = errors.Join(err, t.leaveSite(id))
	}
	return n > 0, wrap(err, "drop site %s", id)
}

const (
	setSitesOf  = `UPDATE people SET sites = ? WHERE id = ?`
	setSitesFor = `UPDATE invitations SET sites = ? WHERE id = ?`
)

// leaveSite takes a site from whoever answers it, and from keys: another one may get its id later.
func (t *tx) leaveSite(id string) error {
	people, err := t.People()
	invited, failed := t.Invitations(0)
	keys, unread := t.APIKeys()
	without := func(query, of string, sites chat.SiteSet) {
		if err == nil && sites != nil && sites.Has(id) {
			_, err = t.q.exec(query, slices.DeleteFunc(sites, func(site string) bool { return site == id }), of)
		}
	}
	err = errors.Join(err, failed, unread)
	for i := range people {
		without(setSitesOf, people[i].ID, people[i].Sites)
	}
	for i := range invited {
		without(setSitesFor, invited[i].ID, invited[i].Sites)
	}
	for i := range keys {
		without(setSitesIn, keys[i].ID, keys[i].Sites)
	}
	return err
}

const countOfSite = `SELECT COUNT(*) FROM sessions WHERE started_at > 0`

// CountSessions implements [chat.Reader].
func (t *tx) CountSessions(site string) (int, error) {
	of, args := ofSite(&site)
	return one[int](t, nil, countOfSite+of, args...)
}

const selectSiteSettings = `SELECT site, name, value FROM site_settings`

// SiteSettings implements [chat.Reader].
func (t *tx) SiteSettings() (map[string]map[string]chat.Raw, error) {
	type setting struct {
		Site, Name string
		Value      chat.Raw
	}
	rows, err := list[setting](t, selectSiteSettings)
	settings := map[string]map[string]chat.Raw{}
	for _, s := range rows {
		if settings[s.Site] == nil {
			settings[s.Site] = map[string]chat.Raw{}
		}
		settings[s.Site][s.Name] = s.Value
	}
	return settings, err
}

const upsertSiteSetting = `INSERT INTO site_settings (site, name, value) VALUES (?, ?, ?)
	ON CONFLICT (site, name) DO UPDATE SET value = excluded.value`

// PutSiteSetting implements [chat.Tx].
func (t *tx) PutSiteSetting(site, name string, value chat.Raw) error {
	_, err := t.q.exec(upsertSiteSetting, site, name, value)
	return wrap(err, "put setting %s of site %s", name, site)
}

const deleteSiteSetting = `DELETE FROM site_settings WHERE site = ? AND name = ?`

// DeleteSiteSetting implements [chat.Tx].
func (t *tx) DeleteSiteSetting(site, name string) error {
	_, err := t.q.exec(deleteSiteSetting, site, name)
	return wrap(err, "delete setting %s of site %s", name, site)
}
