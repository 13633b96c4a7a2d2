package slack

import (
	"cmp"
	"context"
	"time"

	"github.com/slack-go/slack"
)

// person is somebody in the workspace, without a name if Slack did not tell.
type person struct {
	name  string
	asked time.Time
}

// How long a name is relied upon, how soon Slack is asked again that did not
// tell, and how long it may take.
const (
	nameAge     = time.Hour
	nameRetry   = time.Minute
	namePatient = 3 * time.Second
)

// operator is the name of who wrote a message.
func (b *Bridge) operator(m *message) string {
	if name := b.ask(m.User); name != "" {
		return name
	}
	if p := m.Profile; p != nil {
		return cmp.Or(p.DisplayName, p.RealName, p.Name)
	}
	return ""
}

// name is the name of somebody who is mentioned.
func (b *Bridge) name(user string) string {
	if me := b.self.Load(); me != nil && me.user == user {
		return me.name
	}
	return cmp.Or(b.ask(user), "somebody")
}

// ask returns a user's display name, "" if Slack does not tell.
func (b *Bridge) ask(user string) string {
	known, ok := b.names.get(user)
	age := nameAge
	if known.name == "" {
		age = nameRetry
	}
	if ok && time.Since(known.asked) < age {
		return known.name
	}
	ctx, cancel := context.WithTimeout(context.Background(), namePatient)
	defer cancel()
	var u *slack.User
	err := b.call(ctx, "users.info", true, func(ctx context.Context) (err error) {
		u, err = b.api.GetUserInfoContext(ctx, user)
		return err
	})
	if err != nil {
		b.log.Debug("Slack does not tell a name", "user", user, "err", err)
		b.names.put(user, person{known.name, time.Now()})
		return known.name
	}
	name := cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name)
	b.names.put(user, person{name, time.Now()})
	return name
}
