package slack

import "cmp"

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
