package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// mailing is a relay that sends e-mails, with a team.
type mailing struct {
	*harness
	t    *testing.T
	team *team.Team
}

func newMailing(t *testing.T, store *db.DB) *mailing {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: quiet,
		Settings: map[string]chat.Raw{"smtpUrl": chat.Raw(`"smtp://localhost:25"`), "mailFrom": chat.Raw(`"chat@shop.example"`)},
		Targets: func(s *chat.Settings) []chat.Target {
			targets := []chat.Target{{Name: chat.MailSink, Kind: chat.TargetMail, Delay: chat.MailDelay}}
			if s.MailWished() {
				targets = append(targets, chat.Target{Name: chat.MembersSink, Kind: chat.TargetMembers, Delay: chat.MemberMailDelay})
			}
			return targets
		}})
	check(t, err)
	return &mailing{&harness{e, store, []chat.Sink{e.MemberMails()}}, t, team.New(store, e, nil, quiet)}
}

// person adds somebody who wants e-mails.
func (m *mailing) person(name string, wants chat.Preferences) chat.Person {
	m.t.Helper()
	p, err := m.team.People.Add(m.t.Context(), chat.Person{Name: name, Email: name + "@shop.example", Role: chat.RoleOperator})
	check(m.t, err)
	return m.wants(p.ID, wants)
}

func (m *mailing) wants(person string, wants chat.Preferences) chat.Person {
	m.t.Helper()
	p, err := m.team.People.Change(m.t.Context(), person, func(p *chat.Person) error {
		if wants.Notify == "" {
			wants.Notify = chat.NotifyEverything
		}
		p.Preferences.V = wants
		return nil
	})
	check(m.t, err)
	return p
}

// askedMail is an e-mail that was asked for.
type askedMail struct {
	chat.Event
	chat.TeamMail
}

// asked lists the e-mails that were asked for in a session and when they are due, like
// "ann now 1m0s".
func (m *mailing) asked(id string) (list []string, mails []askedMail) {
	m.t.Helper()
	began := m.session(m.t, id).StartedAt
	check(m.t, m.store.Read(m.t.Context(), func(rd chat.Reader) error {
		lane, err := rd.Lane(chat.MailSink, id, 0)
		for _, d := range lane {
			var mail chat.TeamMail
			if d.Event.Type != chat.EventTeamMail {
				continue
			}
			check(m.t, json.Unmarshal(d.Event.Payload, &mail))
			p, err := rd.Person(mail.Person)
			check(m.t, err)
			when := chat.MailUnanswered
			if mail.From != 0 {
				when = chat.MailNow
			}
			list = append(list, strings.Join([]string{p.Name, when, d.NextAt.Sub(began).Round(time.Second).String()}, " "))
			mails = append(mails, askedMail{d.Event, mail})
		}
		return err
	}))
	return list, mails
}

func (m *mailing) expect(when, id string, want ...string) {
	m.t.Helper()
	got, _ := m.asked(id)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		m.t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// letters are to whom the e-mails go that were asked for, and what they say, if they were due.
func (m *mailing) letters(id string) (letters []string) {
	m.t.Helper()
	_, mails := m.asked(id)
	for _, asks := range mails {
		l, err := m.TeamLetter(m.t.Context(), &asks.Event, asks.TeamMail)
		check(m.t, err)
		if l == nil {
			continue
		}
		words := []string{l.To}
		for i := range l.Messages {
			words = append(words, l.Messages[i].Content)
		}
		letters = append(letters, strings.Join(words, " "))
	}
	return letters
}

func (m *mailing) wouldGo(when, id string, want ...string) {
	m.t.Helper()
	got := m.letters(id)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		m.t.Errorf("%s: letters %q, want %q", when, got, want)
	}
}

// now, late and daily are wishes.
var (
	now   = chat.MailWish{When: chat.MailNow}
	late  = chat.MailWish{When: chat.MailUnanswered, Minutes: 15}
	daily = chat.MailWish{When: chat.MailDaily}
	never = chat.MailWish{When: chat.MailNever}
)

// TestMemberMails: everybody gets what they want to know of, once, when there was time to answer.
func TestMemberMails(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		m := newMailing(t, store)
		stop := m.run(t)
		quietly := m.open(t, "zoe")
		m.say(t, quietly, "nobody wants to know")
		time.Sleep(time.Hour)
		m.expect("without a wish", quietly)
		ann := m.person("ann", chat.Preferences{Mail: now})
		bob := m.person("bob", chat.Preferences{Mail: late, Notify: chat.NotifyNothing})
		m.person("cleo", chat.Preferences{Mail: daily})
		m.person("dan", chat.Preferences{Mail: now, MailSites: map[string]chat.MailWish{chat.FirstSite: never}})
		m.person("eve", chat.Preferences{Mail: never, MailSites: map[string]chat.MailWish{chat.FirstSite: {When: chat.MailUnanswered}}})
		m.person("fay", chat.Preferences{})

		id := m.open(t, "visitor")
		m.say(t, id, "hello")
		time.Sleep(20 * time.Second)
		m.say(t, id, "is anybody there?")
		m.expect("at once", id)
		time.Sleep(41 * time.Second)
		first := []string{"ann now 1m0s", "bob unanswered 15m0s", "eve unanswered 15m0s"}
		m.expect("after a minute", id, first...)
		time.Sleep(time.Minute)
		stop()
		defer m.run(t)()
		time.Sleep(time.Minute)
		m.expect("when all that waited was delivered", id, first...)
		m.say(t, id, "hello?")
		time.Sleep(2 * time.Minute)
		m.expect("after one more message", id, append(first, "ann now 4m1s")...)
		const all = "@shop.example hello is anybody there? hello?"
		m.wouldGo("then", id, "ann@shop.example hello is anybody there?", "ann@shop.example hello?", "bob"+all, "eve"+all)

		s := m.session(t, id)
		check(t, m.Organise(t.Context(), operator, id, engine.Organising{Assignee: &bob.ID}))
		m.wouldGo("of somebody's conversation", id, "ann@shop.example hello is anybody there?", "ann@shop.example hello?", "bob"+all, "eve"+all)
		m.wants(ann.ID, chat.Preferences{Mail: now, Notify: chat.NotifyMine})
		m.wouldGo("of somebody else's conversation", id, "bob"+all, "eve"+all)
		m.wants(bob.ID, chat.Preferences{Mail: daily})
		m.wouldGo("after another choice", id, "eve"+all)
		if s.Unread != 3 {
			t.Errorf("%d are unread", s.Unread)
		}
		_, err := m.Send(t.Context(), operator, engine.Post{SessionID: id, Content: "yes"})
		check(t, err)
		m.wouldGo("after an answer", id)
	})
}

// TestWokenMails: the end of a snooze is told to whoever wants e-mails, when they want them.
func TestWokenMails(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		m := newMailing(t, store)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		defer func() {
			cancel()
			check(t, <-ended)
		}()
		m.person("ann", chat.Preferences{Mail: now})
		m.person("bob", chat.Preferences{Mail: late})
		m.person("cleo", chat.Preferences{Mail: daily})
		m.person("dan", chat.Preferences{Mail: never})
		snooze := func(id string, until chat.Time) {
			t.Helper()
			check(t, m.Organise(t.Context(), operator, id, engine.Organising{Until: &until}))
		}
		waits := m.open(t, "waits")
		m.say(t, waits, "hello")
		answered := m.open(t, "answered")
		m.say(t, answered, "it is broken")
		_, err := m.Send(t.Context(), operator, engine.Post{SessionID: answered, Content: "I ask"})
		check(t, err)
		time.Sleep(2 * time.Minute)
		for id, d := range map[string]time.Duration{waits: time.Hour, answered: 2 * time.Hour} {
			snooze(id, chat.Now().Add(d))
		}
		time.Sleep(time.Hour + 10*time.Minute)
		m.wouldGo("after the first snooze", waits, "ann@shop.example hello", "ann@shop.example hello", "bob@shop.example hello", "bob@shop.example hello")
		m.wouldGo("during the second", answered)
		time.Sleep(time.Hour)
		m.expect("after the second", answered, "ann unanswered 2h2m0s", "bob unanswered 2h17m0s")
		m.wouldGo("after the second", answered, "ann@shop.example it is broken", "bob@shop.example it is broken")
		snooze(answered, chat.Now().Add(time.Hour))
		m.wouldGo("when it is snoozed again", answered)
		snooze(answered, 0)
		m.expect("when a person ended it", answered, "ann unanswered 2h2m0s", "bob unanswered 2h17m0s")
		check(t, m.Close(t.Context(), operator, waits))
		m.wouldGo("of a conversation that is closed", waits)
	})
}

// TestMemberMailTwice: what is delivered again, after a crash, asks for no e-mail again.
func TestMemberMailTwice(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		m := newMailing(t, store)
		m.person("ann", chat.Preferences{Mail: now})
		id := m.open(t, "visitor")
		m.say(t, id, "hello")
		var lane []chat.Delivery
		check(t, store.Read(t.Context(), func(rd chat.Reader) (err error) {
			lane, err = rd.Lane(chat.MembersSink, id, 0)
			return err
		}))
		for range 2 {
			done, err := m.MemberMails().Deliver(t.Context(), lane)
			if err != nil || done != 1 {
				t.Fatalf("%d are done: %v", done, err)
			}
		}
		m.expect("after two deliveries", id, "ann now 0s")
	})
}

// TestMemberMailFailed: colleagues are told of an e-mail that was refused, but not the address.
func TestMemberMailFailed(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		m := newMailing(t, store)
		ann := m.person("ann", chat.Preferences{Mail: now})
		id := m.open(t, "visitor")
		m.say(t, id, "hello")
		asks := chat.TeamMail{Person: ann.ID, Since: m.session(t, id).WaitingSince, From: 1}
		check(t, m.TeamLetterEnded(t.Context(), id, asks, chat.MailedSent, ""))
		check(t, m.TeamLetterEnded(t.Context(), id, asks, chat.MailedRefused, "550 ann@shop.example is unknown"))
		var told []string
		check(t, store.Read(t.Context(), func(rd chat.Reader) error {
			entries, err := rd.Timeline(id, 0, 0, 100)
			for _, e := range entries {
				if e.Type == chat.EventMailed {
					var mailed chat.Mailed
					check(t, json.Unmarshal(e.Data, &mailed))
					told = append(told, mailed.Content)
				}
			}
			return err
		}))
		if want := "The e-mail to ann was refused. The server answered: 550 ann is unknown"; !slices.Equal(told, []string{want}) {
			t.Errorf("operators read %q", told)
		}
	})
}

// TestDailyMails: the daily e-mail is asked for once, at the person's time or soon after it, and
// not when that is long over.
func TestDailyMails(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) { // its clock begins at midnight
		m := newMailing(t, store)
		ann := m.person("ann", chat.Preferences{Mail: daily})
		m.person("bob", chat.Preferences{Mail: daily, DailyAt: "22:30"})
		m.person("cleo", chat.Preferences{Mail: now})
		if m.Settings().MailWished() != true {
			t.Error("nobody wants e-mails about messages")
		}
		asked := func() (list []string) {
			check(t, store.Read(t.Context(), func(rd chat.Reader) error {
				lane, err := rd.Lane(chat.MailSink, engine.SystemSession, 0)
				for _, d := range lane {
					var asks chat.DailyMail
					check(t, json.Unmarshal(d.Event.Payload, &asks))
					p, err := rd.Person(asks.Person)
					check(t, err)
					list = append(list, p.Name+" "+d.Event.At.Std().UTC().Format("2 15:04"))
				}
				return err
			}))
			return list
		}
		for range 2 * 24 * 6 { // two days
			check(t, m.Sweep(t.Context(), chat.Now()))
			time.Sleep(10 * time.Minute)
		}
		if got, want := asked(), []string{"bob 1 00:00", "ann 1 08:00", "bob 1 22:30", "ann 2 08:00", "bob 2 22:30"}; !slices.Equal(got, want) {
			t.Errorf("asked for %q, want %q", got, want)
		}
		time.Sleep(13 * time.Hour) // relay was down
		check(t, m.Sweep(t.Context(), chat.Now()))
		if got := asked(); len(got) != 5 {
			t.Errorf("long after their time: %q", got)
		}

		letter := func() *engine.DailyLetter {
			l, err := m.DailyLetter(t.Context(), chat.DailyMail{Person: ann.ID, Since: chat.Now().Add(-24 * time.Hour)})
			check(t, err)
			return l
		}
		if l := letter(); l != nil {
			t.Errorf("there is nothing to tell: %+v", l)
		}
		waits, answered := m.open(t, "waits"), m.open(t, "answered")
		m.say(t, waits, "hello")
		m.say(t, answered, "hello")
		_, err := m.Send(t.Context(), operator, engine.Post{SessionID: answered, Content: "good day"})
		check(t, err)
		if l := letter(); l == nil || l.To != "ann@shop.example" || len(l.Waiting) != 1 || l.Waiting[0].ID != waits || l.Active != 2 || l.More {
			t.Errorf("the letter is %+v", l)
		}
		m.wants(ann.ID, chat.Preferences{Mail: never})
		if l := letter(); l != nil {
			t.Errorf("it is not wanted any more: %+v", l)
		}
	})
}
