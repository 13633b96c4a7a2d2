package db

import (
	"database/sql"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

const (
	personColumns       = `id, name, email, role, password, face, preferences, created_at, sites`
	selectPeople        = `SELECT ` + personColumns + ` FROM people`
	selectPerson        = selectPeople + ` WHERE id = ?`
	selectPersonByEmail = selectPeople + ` WHERE email = ?`
	selectPersonByName  = selectPeople + ` WHERE name_key = ?`
	selectPlatformNames = `SELECT bridge, name, person FROM platform_names`
	selectNamesOf       = `SELECT bridge, name FROM platform_names WHERE person = ? ORDER BY bridge, name`
)

// platformName is a row of platform_names.
type platformName struct {
	chat.PlatformName
	Person string `db:"person"`
}

// People implements [chat.PeopleReader]. They are ordered here: the databases compare
// names differently.
func (t *tx) People() ([]chat.Person, error) {
	people, err := list[chat.Person](t, selectPeople)
	if err != nil {
		return nil, err
	}
	names, err := list[platformName](t, selectPlatformNames+` ORDER BY bridge, name`)
	if err != nil {
		return nil, err
	}
	of := map[string][]chat.PlatformName{}
	for _, n := range names {
		of[n.Person] = append(of[n.Person], n.PlatformName)
	}
	for i := range people {
		people[i].PlatformNames = append([]chat.PlatformName{}, of[people[i].ID]...)
	}
	sort.Slice(people, func(i, j int) bool { return chat.NameKey(people[i].Name) < chat.NameKey(people[j].Name) })
	return people, nil
}

// Person implements [chat.PeopleReader].
func (t *tx) Person(id string) (chat.Person, error) { return t.person(selectPerson, id) }

// LockPerson implements [chat.PeopleTx].
func (t *tx) LockPerson(id string) (chat.Person, error) {
	return t.person(t.q.lock(selectPerson), id)
}

// PersonByEmail implements [chat.PeopleReader].
func (t *tx) PersonByEmail(email string) (chat.Person, error) {
	return t.person(selectPersonByEmail, email)
}

// PersonByName implements [chat.PeopleReader].
func (t *tx) PersonByName(key string) (chat.Person, error) { return t.person(selectPersonByName, key) }

func (t *tx) person(query, key string) (chat.Person, error) {
	p, err := one[chat.Person](t, chat.ErrPersonNotFound, query, key)
	if err != nil {
		return p, err
	}
	names, err := list[chat.PlatformName](t, selectNamesOf, p.ID)
	p.PlatformNames = append([]chat.PlatformName{}, names...)
	return p, err
}

const countPeople = `SELECT COUNT(*), COALESCE(SUM(CASE WHEN role = 'administrator' AND sites = '' THEN 1 ELSE 0 END), 0) FROM people`

// CountPeople implements [chat.PeopleReader].
func (t *tx) CountPeople() (people, administrators int, err error) {
	err = t.row(nil, []any{&people, &administrators}, countPeople)
	return people, administrators, err
}

// NamesOnPlatforms implements [chat.PeopleReader].
func (t *tx) NamesOnPlatforms() (map[string]chat.Person, error) {
	names, err := list[platformName](t, selectPlatformNames)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	people, err := t.People()
	if err != nil {
		return nil, err
	}
	by := make(map[string]chat.Person, len(names))
	for _, n := range names {
		if i := slices.IndexFunc(people, func(p chat.Person) bool { return p.ID == n.Person }); i >= 0 {
			by[n.Bridge+" "+n.Name] = people[i]
		}
	}
	return by, nil
}

const (
	upsertPerson = `INSERT INTO people (` + personColumns + `, name_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email, role = excluded.role, password = excluded.password,
		face = excluded.face, preferences = excluded.preferences, sites = excluded.sites, name_key = excluded.name_key`
	deletePlatformNames = `DELETE FROM platform_names WHERE person = ?`
	insertPlatformName  = `INSERT INTO platform_names (bridge, name, person) VALUES (?, ?, ?)
		ON CONFLICT (bridge, name) DO UPDATE SET person = excluded.person`
)

// PutPerson implements [chat.PeopleTx]. A name on a platform moves to whoever got it last.
func (t *tx) PutPerson(p *chat.Person) error {
	_, err := t.q.exec(upsertPerson, p.ID, p.Name, p.Email, string(p.Role), p.Password, p.Face, p.Preferences, int64(p.CreatedAt), p.Sites, chat.NameKey(p.Name))
	if err == nil {
		_, err = t.q.exec(deletePlatformNames, p.ID)
	}
	for _, n := range p.PlatformNames {
		if err == nil {
			_, err = t.q.exec(insertPlatformName, n.Bridge, n.Name, p.ID)
		}
	}
	return wrap(err, "put person %s", p.ID)
}

const deletePerson = `DELETE FROM people WHERE id = ?`

// DeletePerson implements [chat.PeopleTx].
func (t *tx) DeletePerson(id string) error {
	for _, query := range []string{unassign, dropOwnAnswers, deletePushOf} {
		if _, err := t.q.exec(query, id); err != nil {
			return err
		}
	}
	if t.cache != nil { // sessions in it may have been the person's
		t.cache.clear()
	}
	if err := t.touch(chat.ErrPersonNotFound, deletePerson, id); err != nil {
		return err
	}
	_, err := t.q.exec(unassign, id) // what was assigned until the row was locked
	return err
}

// UnassignElsewhere implements [chat.PeopleTx].
func (t *tx) UnassignElsewhere(person string, sites chat.SiteSet) error {
	if sites == nil {
		return nil
	}
	in, args := inList("site", sites)
	_, err := t.q.exec(unassign+` AND NOT (`+strings.TrimPrefix(in, ` AND `)+`)`, append([]any{person}, args...)...)
	if t.cache != nil { // sessions in it may have been the person's
		t.cache.clear()
	}
	return err
}

const (
	unassign       = `UPDATE sessions SET assignee = '' WHERE assignee = ? AND assignee <> ''`
	dropOwnAnswers = `DELETE FROM saved_answers WHERE owner = ? AND owner <> ''`
)

const (
	selectFace = `SELECT mime_type, data FROM faces WHERE person = ?`
	deleteFace = `DELETE FROM faces WHERE person = ?`
	insertFace = `INSERT INTO faces (person, mime_type, data) VALUES (?, ?, ?)`
)

// Face implements [chat.PeopleReader].
func (t *tx) Face(person string) (chat.Face, error) {
	f, err := one[chat.Face](t, sql.ErrNoRows, selectFace, person)
	if errors.Is(err, sql.ErrNoRows) {
		return f, nil
	}
	return f, err
}

// PutFace implements [chat.PeopleTx].
func (t *tx) PutFace(person string, f *chat.Face) error {
	_, err := t.q.exec(deleteFace, person)
	if err == nil && len(f.Data) > 0 {
		_, err = t.q.exec(insertFace, person, f.MimeType, f.Data)
	}
	return wrap(err, "put face of %s", person)
}
