package slack

import (
	"cmp"
	"context"
	"time"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/slack-go/slack"
)

// people looks up who writes in the channel.
type people struct {
	client *client
	names  *cache.Cache[person] // by user
}

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
func (p *people) operator(m *message) string {
	if name := p.ask(m.User).name; name != "" {
		return name
	}
	if profile := m.Profile; profile != nil {
		return cmp.Or(profile.DisplayName, profile.RealName, profile.Name)
	}
	return ""
}

// name returns the name of a mentioned member.
func (p *people) name(user string) string {
	if me := p.client.self.Load(); me != nil && me.user == user {
		return me.name
	}
	return cmp.Or(p.ask(user).name, "somebody")
}

// ask fetches what Slack knows about a user: empty if it returns nothing.
func (p *people) ask(user string) person {
	known, ok := p.names.Get(user)
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
	err := p.client.call(ctx, "users.info", true, func(ctx context.Context) (err error) {
		u, err = p.client.api.GetUserInfoContext(ctx, user)
		return err
	})
	if err != nil {
		p.client.log.Debug("Slack returns no name", "user", user, "err", err)
		known.asked = time.Now()
		p.names.Put(user, known)
		return known
	}
	known = person{cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name), home{u.TeamID, u.Enterprise.EnterpriseID}, time.Now()}
	p.names.Put(user, known)
	return known
}

// home is a workspace and its organisation in Enterprise Grid, "" when unknown.
type home struct{ team, enterprise string }

// has reports whether a team of a message is this workspace or its organisation.
func (h home) has(team string) bool { return team == h.team || team == h.enterprise }

const barredText = "%s belongs to another Slack workspace, so nothing of what they write here reaches the visitor. " +
	"To let people of other workspaces answer visitors, set SLACK_OTHER_WORKSPACES=true, or the setting slackOtherWorkspaces to true."

// guest reports whether a message's author is of another workspace, which shares the
// channel by Slack Connect. Where the message names no workspace, the author's profile does.
func (p *people) guest(e *envelope, m *message) bool {
	own := e.home(p.client.self.Load())
	if own.team == "" {
		return false // no such thing on a server that names no workspace of the bot
	}
	if team := cmp.Or(m.UserTeam, m.SourceTeam, m.Team); team != "" {
		return !own.has(team)
	}
	theirs := p.ask(m.User).home
	return theirs.team != "" && theirs.team != own.team && (theirs.enterprise == "" || theirs.enterprise != own.enterprise)
}

// home returns the bot's workspace, which Slack names in each event.
func (e *envelope) home(me *self) home {
	for _, a := range e.Authorizations {
		if a.IsBot && a.TeamID != "" {
			return home{a.TeamID, a.EnterpriseID}
		}
	}
	if me == nil {
		return home{}
	}
	return me.home
}
