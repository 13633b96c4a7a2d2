package slack

import (
	"cmp"
	"context"
	"time"

	"github.com/slack-go/slack"
)

// person is a member of the workspace, without a name if Slack did not return one.
type person struct {
	name  string
	home  home
	asked time.Time
}

// A name is used for nameAge, a failed lookup is repeated after nameRetry, and a lookup
// may take nameTimeout.
const (
	nameAge     = time.Hour
	nameRetry   = time.Minute
	nameTimeout = 3 * time.Second
)

// operator returns the name of a message's author.
func (b *Bridge) operator(m *message) string {
	if name := b.ask(m.User).name; name != "" {
		return name
	}
	if p := m.Profile; p != nil {
		return cmp.Or(p.DisplayName, p.RealName, p.Name)
	}
	return ""
}

// name returns the name of a mentioned member.
func (b *Bridge) name(user string) string {
	if me := b.self.Load(); me != nil && me.user == user {
		return me.name
	}
	return cmp.Or(b.ask(user).name, "somebody")
}

// ask fetches what Slack knows about a user: empty if it returns nothing.
func (b *Bridge) ask(user string) person {
	known, ok := b.names.Get(user)
	age := nameAge
	if known.name == "" {
		age = nameRetry
	}
	if ok && time.Since(known.asked) < age {
		return known
	}
	ctx, cancel := context.WithTimeout(context.Background(), nameTimeout)
	defer cancel()
	var u *slack.User
	err := b.call(ctx, "users.info", true, func(ctx context.Context) (err error) {
		u, err = b.api.GetUserInfoContext(ctx, user)
		return err
	})
	if err != nil {
		b.log.Debug("Slack returns no name", "user", user, "err", err)
		known.asked = time.Now()
		b.names.Put(user, known)
		return known
	}
	known = person{cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name), home{u.TeamID, u.Enterprise.EnterpriseID}, time.Now()}
	b.names.Put(user, known)
	return known
}
