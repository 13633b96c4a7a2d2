package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// maxSnooze is how far ahead a snooze may end.
const maxSnooze = 366 * 24 * time.Hour

// Organised is the payload of the events about assignment, tags and snoozing.
type Organised struct {
	By       string    `json:"by,omitempty"` // an operator's name
	At       chat.Time `json:"at"`
	Tags     chat.Tags `json:"tags,omitempty"`
	Until    chat.Time `json:"until,omitzero"` // the session is snoozed until then
	Assignee string    `json:"assignee,omitempty"`
	// AssigneeName is the person's name at that time.
	AssigneeName string `json:"assigneeName,omitempty"`
}

// Organising is a change of how a session is organised; nil leaves a part as it is.
type Organising struct {
	Tags     *[]string   // all that it has then
	Add      []string    // tags beside those that it has
	Remove   []string    // tags that it loses
	Until    *chat.Time  // snoozed until then; the zero time ends it
	Assignee *string     // a person's id, "" for nobody
	Status   chat.Status // that it has then; it is opened before all else, and closed at the end
}

// organiser assigns, tags and snoozes sessions.
type organiser struct {
	*Relay
	due *snoozes
}

// Organise assigns, tags, snoozes, closes and reopens a session: all of it or nothing.
func (r *organiser) Organise(ctx context.Context, by chat.Author, sessionID string, o Organising) error {
	retag, err := o.retag()
	if err = cmp.Or(err, o.Check()); err != nil {
		return err
	}
	err = r.change(ctx, by, sessionID, func(c *change) (err error) {
		if o.Status == chat.StatusOpen {
			if err := r.enterStatus(c, chat.StatusOpen, chat.EventSessionReopened); err != nil {
				return err
			}
		}
		tags, err := retag(c.session.TagList())
		if err == nil {
			err = c.tag(tags)
		}
		if o.Assignee != nil && err == nil {
			err = c.assign(*o.Assignee)
		}
		if o.Until != nil && err == nil {
			err = c.snooze(*o.Until)
		}
		if o.Status == chat.StatusClosed && err == nil {
			err = r.enterStatus(c, chat.StatusClosed, chat.EventSessionClosed)
		}
		return err
	})
	if err == nil && o.Until != nil && *o.Until != 0 {
		r.due.lookAt(o.Until.Monotonic())
		r.nodes.Ring(noteSnoozed, *o.Until) // this node may end before
	}
	return err
}

// Check refuses what no session could become.
func (o *Organising) Check() error {
	if _, err := o.retag(); err != nil {
		return err
	}
	if o.Until == nil || *o.Until == 0 {
		return nil
	}
	if *o.Until <= chat.Now() || *o.Until > chat.Now().Add(maxSnooze) {
		return chat.Errorf(chat.Invalid, "snoozedUntil must be a time within the next year")
	}
	if o.Status == chat.StatusClosed {
		return chat.Errorf(chat.Invalid, "snoozedUntil must not be set for conversations that are closed at the same time")
	}
	return nil
}

// retag returns what becomes of the tags that a session has then. Whoever adds or removes
// one does not say which others there are: somebody else may be changing those.
func (o *Organising) retag() (func(chat.Tags) (chat.Tags, error), error) {
	add, err := chat.CleanTags(o.Add)
	if err != nil {
		return nil, err
	}
	gone := make(map[string]bool, len(o.Remove))
	for _, tag := range o.Remove {
		clean, _ := chat.CleanTag(tag) // "" for what cannot be a tag, and so is none
		gone[clean] = true
	}
	if o.Tags == nil {
		return func(now chat.Tags) (chat.Tags, error) {
			if len(o.Add) == 0 && len(o.Remove) == 0 {
				return now, nil
			}
			left := slices.DeleteFunc(now, func(tag string) bool { return gone[tag] })
			return chat.CleanTags(append(left, add...))
		}, nil
	}
	if len(o.Add) > 0 || len(o.Remove) > 0 {
		return nil, chat.Errorf(chat.Invalid, "use either tags, which replaces all, or addTags and removeTags")
	}
	all, err := chat.CleanTags(*o.Tags)
	return func(chat.Tags) (chat.Tags, error) { return all, nil }, err
}

// assign gives a session to a person, or to nobody.
func (c *change) assign(id string) error {
	if c.session.Assignee == id {
		return nil
	}
	done := Organised{By: c.by.Name, At: c.at, Assignee: id}
	if id != "" {
		p, err := c.LockPerson(id)
		if err == nil && !p.Sites.Meets(c.by.Sites) {
			err = chat.ErrPersonNotFound
		}
		if err != nil {
			return err
		}
		if !p.Sites.Has(c.session.Site) {
			return chat.ErrorAt(chat.Conflict, "assignee", p.Name+" does not answer the visitors of this site")
		}
		done.AssigneeName = p.Name
	}
	c.session.Assignee = id
	return c.emitFact(chat.EventAssigned, done)
}

// PersonCalled finds a person by name, with or without @; "me" is who asks, and "nobody"
// is nobody, the zero Person.
func (r *organiser) PersonCalled(ctx context.Context, by chat.Author, name string) (p chat.Person, err error) {
	name = strings.TrimPrefix(strings.TrimSpace(name), "@")
	err = r.store.ReadOne(ctx, func(rd chat.Reader) error {
		switch key := chat.NameKey(name); {
		case key == "nobody" || key == "none":
			return nil
		case key == "me" && by.Person != "":
			p, err = rd.Person(by.Person)
		case key == "me":
			err = chat.Errorf(chat.Invalid, "relay does not know who you are: match your name here with a person, in the console under Team")
		default:
			p, err = personNamed(rd, by, key)
		}
		return err
	})
	return p, err
}

// personNamed finds a person by name, by what a platform calls them, or by a first name that
// only one has.
func personNamed(rd chat.Reader, by chat.Author, key string) (found chat.Person, err error) {
	people, err := rd.People()
	if err != nil {
		return found, err
	}
	people = slices.DeleteFunc(people, func(p chat.Person) bool { return !p.Sites.Meets(by.Sites) })
	var likely []chat.Person
	for _, p := range people {
		called := slices.ContainsFunc(p.PlatformNames, func(n chat.PlatformName) bool {
			return n.Bridge == by.Source && chat.NameKey(strings.TrimPrefix(n.Name, "@")) == key
		})
		if called || chat.NameKey(p.Name) == key {
			return p, nil
		}
		if first, _, _ := strings.Cut(chat.NameKey(p.Name), " "); first == key {
			likely = append(likely, p)
		}
	}
	if len(likely) == 1 {
		return likely[0], nil
	}
	names := make([]string, len(people))
	for i, p := range people {
		names[i] = p.Name
	}
	if len(names) == 0 {
		return found, chat.Errorf(chat.NotFound, "There is nobody in the team yet. Invite people in the console")
	}
	return found, chat.Errorf(chat.NotFound, "Nobody in the team is called %.60s. There are %s", key, strings.Join(names[:min(len(names), 20)], ", "))
}

// tag replaces a session's tags.
func (c *change) tag(tags chat.Tags) error {
	stored := tags.Stored()
	if c.session.Tags == stored {
		return nil
	}
	c.session.Tags = stored
	return c.emitFact(chat.EventTagged, Organised{By: c.by.Name, At: c.at, Tags: tags})
}

// snooze takes a session from the waiting ones until a time, or until its visitor writes.
// The zero time ends it.
func (c *change) snooze(until chat.Time) error {
	switch {
	case until == c.session.SnoozedUntil:
		return nil
	case until == 0:
		return c.endSnooze()
	case c.session.Status != chat.StatusOpen:
		return chat.Errorf(chat.Conflict, "A closed conversation cannot be snoozed. Reopen it first")
	}
	c.session.SnoozedUntil = until
	return c.emitFact(chat.EventSnoozed, Organised{By: c.by.Name, At: c.at, Until: until})
}
