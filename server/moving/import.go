package moving

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Options say how a site is imported.
type Options struct {
	// ID and Name are the new site's, "" for those that it had.
	ID, Name string
	// KeyTaken reports whether a public key is the first site's.
	KeyTaken func(key string) bool
	// By is who imports.
	By chat.Author
	// Imported is called with each conversation that was stored.
	Imported func(sessionID string)
}

// Import stores a site that Export wrote, as a new one. All of the file is checked before
// anything is stored. What was stored when it is cut off is not stored again by the next
// import of the same file.
func Import(ctx context.Context, e *engine.Engine, base Knowledge, from io.ReaderAt, size int64, o Options) (chat.Site, Done, error) {
	a, err := read(from, size)
	if err != nil {
		return chat.Site{}, Done{}, err
	}
	m := importer{ctx: ctx, engine: e, archive: a, opts: o, done: Done{Notes: []string{}}}
	s, err := m.site()
	if err == nil {
		err = m.belongings(base, s.ID)
	}
	for _, f := range a.conversations {
		if err == nil {
			err = m.conversation(f, s.ID)
		}
	}
	if err == nil {
		err = m.contacts(s.ID)
	}
	return s, m.done, err
}

type importer struct {
	ctx     context.Context
	engine  *engine.Engine
	archive *archive
	opts    Options
	done    Done
}

func (m *importer) note(format string, args ...any) {
	m.done.Notes = append(m.done.Notes, fmt.Sprintf(format, args...))
}

// The facts about an import, by the hash of its site.json: the id of the site that it made,
// and that the site has its belongings.
func (m *importer) metaSite() string       { return "imported_site." + m.archive.hash }
func (m *importer) metaBelongings() string { return "imported_belongings." + m.archive.hash }

func (m *importer) meta(name string) (value string, err error) {
	err = m.engine.Store.ReadOne(m.ctx, func(rd chat.Reader) error {
		value, err = rd.Meta(name)
		return err
	})
	return value, err
}

func (m *importer) putMeta(name, value string) error {
	return m.engine.Store.Apply(m.ctx, func(tx chat.Tx) error { return tx.PutMeta(name, value) })
}

// site makes the site, or finds the one that an import of the same file has made.
func (m *importer) site() (s chat.Site, err error) {
	made, err := m.meta(m.metaSite())
	if err != nil {
		return s, err
	}
	if known := m.engine.Sites().Of(made); made != "" && known != nil {
		return *known, nil
	}
	of := &m.archive.manifest.Site
	name := cmp.Or(m.opts.Name, of.Name)
	change := engine.SiteChange{Wanted: of.ID, Name: &name, Address: &of.Address, Color: &of.Color, Origins: &of.Origins}
	if m.opts.ID != "" {
		change.ID = &m.opts.ID
	}
	_, taken := m.engine.Sites().WithKey(of.PublicKey)
	if of.PublicKey == "" || taken || m.opts.KeyTaken(of.PublicKey) {
		m.note("Its public key is in use here, so it has a new one: put its new snippet into its pages.")
	} else {
		change.Key = &of.PublicKey
	}
	if s, err = m.engine.AddSite(m.ctx, change); err != nil {
		return s, err
	}
	return s, m.putMeta(m.metaSite(), s.ID)
}

// belongings stores what a site has beside conversations, once.
func (m *importer) belongings(base Knowledge, site string) error {
	stored, err := m.meta(m.metaBelongings())
	if err != nil || stored != "" {
		return err
	}
	if err := m.settings(site); err != nil {
		return err
	}
	for _, a := range m.archive.manifest.Answers {
		by := chat.Author{Name: a.SavedBy}
		if _, err := m.engine.SaveAnswer(m.ctx, by, site, a.Name, a.Content, false); err != nil {
			m.note("The saved answer !%s was not taken over: %v", chat.Clip(a.Name, 60), err)
		}
	}
	if err := m.knowledge(base, site); err != nil {
		return err
	}
	if err := m.hooks(site); err != nil {
		return err
	}
	if err := m.actions(site); err != nil {
		return err
	}
	for _, p := range m.archive.manifest.People {
		m.note("%s (%s) answered it: invite them here.", chat.Clip(chat.OneLine(p.Name), 60), p.Role)
	}
	return m.putMeta(m.metaBelongings(), site)
}

// settings takes over what this relay knows and accepts, one setting after the other.
func (m *importer) settings(site string) error {
	for _, name := range slices.Sorted(maps.Keys(m.archive.manifest.Settings)) {
		if m.engine.SettingsOf(site).IsOfBridge(name) {
			m.note("The setting %s was not taken over: another bot is in that channel.", chat.Clip(name, 60))
			continue
		}
		patch := map[string]json.RawMessage{name: json.RawMessage(m.archive.manifest.Settings[name])}
		err := m.engine.PatchOwnSettings(m.ctx, site, patch)
		var refused *chat.Error
		if errors.As(err, &refused) {
			m.note("The setting %s was not taken over: %s", chat.Clip(name, 60), refused.Text)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// knowledge adds the sources that the site does not have yet; pages are read again.
func (m *importer) knowledge(base Knowledge, site string) error {
	have, err := base.Sources(m.ctx)
	if err != nil {
		return err
	}
	for _, s := range m.archive.manifest.Knowledge {
		if slices.ContainsFunc(have, func(k chat.KnowledgeSource) bool { return k.Site == site && k.Title == s.Title && k.URL == s.URL }) {
			continue
		}
		switch s.Kind {
		case chat.KnowledgeText, chat.KnowledgeFile:
			_, err = base.AddText(m.ctx, site, s.Title, s.Text, s.URL)
		default:
			_, err = base.AddPages(m.ctx, site, s.URL, s.Kind == chat.KnowledgeSite, false)
		}
		if err != nil {
			m.note("The knowledge “%s” was not taken over: %v", chat.Clip(chat.OneLine(cmp.Or(s.Title, s.URL)), 100), err)
		}
	}
	return nil
}

// conversation stores a conversation with its files, unless it is there.
func (m *importer) conversation(f *zip.File, site string) error {
	c, err := m.archive.conversation(f)
	if err != nil {
		return err
	}
	if err := m.rename(c, site); err != nil {
		return err
	}
	stored := c.Session.at(site)
	known := false
	err = m.engine.Store.Apply(m.ctx, func(tx chat.Tx) error {
		if _, err := tx.SessionHeader(stored.ID); !errors.Is(err, chat.ErrSessionNotFound) {
			known = err == nil
			return err
		}
		return store(tx, c, &stored)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	for i := range c.Files {
		if err := m.file(&c.Files[i], stored.ID); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if known {
		m.done.Known++
		return nil
	}
	m.done.Conversations++
	m.done.Messages += len(c.Messages)
	m.opts.Imported(stored.ID)
	return nil
}

// store writes a new session with its messages and its timeline.
func store(tx chat.Tx, c *conversation, s *chat.Session) error {
	if err := tx.CreateSession(s); err != nil {
		return err
	}
	for i := range c.Messages {
		m := c.Messages[i].Message
		m.SessionID, m.Seq, m.OperatorID = s.ID, c.Messages[i].Seq, "" // nobody of this team wrote it
		if err := tx.InsertMessage(&m); err != nil {
			return err
		}
	}
	for _, t := range c.Timeline {
		if err := tx.PutEntry(&chat.TimelineEntry{SessionID: s.ID, Rev: t.Rev, Type: t.Type, At: t.At, Data: t.Data}); err != nil {
			return err
		}
	}
	return nil
}

// rename gives a conversation and files new ids where others of this relay have theirs: a
// site is copied within a relay. The same import always gives the same, also when those are
// gone meanwhile.
func (m *importer) rename(c *conversation, site string) error {
	return m.engine.Store.Read(m.ctx, func(rd chat.Reader) error {
		id, err := m.renamed(rd, c.Session.ID, site)
		if err != nil {
			return err
		}
		if id != c.Session.ID {
			c.Session.ID, c.Session.Browser, c.Session.Devices = id, "", ""
			c.Session.Merged, c.Session.MovedOn = "", chat.NotMoved
		}
		for i := range c.Files {
			f := &c.Files[i]
			f.stored, err = m.free(f.ID, site, func(id string) (bool, bool, error) {
				had, err := rd.File(id)
				return err == nil, had.SessionID == c.Session.ID, ignore(err, chat.ErrAttachmentNotFound)
			})
			if err != nil {
				return err
			}
			c.refer(f.ID, f.stored)
		}
		return nil
	})
}

// renamed is the id that a session gets.
func (m *importer) renamed(rd chat.Reader, id, site string) (string, error) {
	return m.free(id, site, func(id string) (bool, bool, error) {
		had, err := rd.SessionHeader(id)
		return err == nil, had.Site == site, ignore(err, chat.ErrSessionNotFound)
	})
}

// free returns the id that something gets: its own, or another that was made for it, now or
// by an import before. find reports whether an id is known, and whether it is this thing's.
func (m *importer) free(id, site string, find func(id string) (known, ours bool, err error)) (string, error) {
	other := m.other(site, id)
	if known, ours, err := find(other); err != nil || known && ours {
		return other, err
	}
	known, ours, err := find(id)
	if known && !ours {
		return other, err
	}
	return id, err
}

// ignore returns err unless it is what is expected.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// other makes an id of a site and an id.
func (m *importer) other(site, id string) string {
	sum := sha256.Sum256([]byte(site + "\n" + m.archive.hash + "\n" + id))
	return base32.StdEncoding.EncodeToString(sum[:])[:len(chat.NewID())]
}

// refer makes messages name a file by its new id.
func (c *conversation) refer(from, to string) {
	for i := range c.Messages {
		list := c.Messages[i].Attachments.V
		for k := range list {
			if list[k].ID == from {
				list[k].ID = to
			}
		}
	}
}

// file stores a file, unless it is there as a whole.
func (m *importer) file(f *file, session string) error {
	var had chat.File
	err := m.engine.Store.ReadOne(m.ctx, func(rd chat.Reader) (err error) {
		had, err = rd.File(f.stored)
		return err
	})
	switch {
	case err == nil && had.Complete:
		return nil
	case err != nil && !errors.Is(err, chat.ErrAttachmentNotFound):
		return err
	}
	from, err := m.archive.files[f.ID].Open()
	if err != nil {
		return invalid(filesDir+f.ID, "it cannot be read: %v", err)
	}
	defer from.Close()
	stored := chat.File{ID: f.stored, SessionID: session, MessageID: f.MessageID, Uploader: f.Uploader, CreatedAt: f.CreatedAt, MimeType: f.MimeType, Filename: f.Filename}
	if err := m.engine.PutFile(m.ctx, &stored, from, f.Size); err != nil {
		return err
	}
	m.done.Files++
	return nil
}
