package engine

import (
	"maps"

	"github.com/relay-chat/relay/server/chat"
)

// siteHours are the business hours of the first site, "", and of those with others.
type siteHours map[string]*chat.Timetable

// of returns a site's hours.
func (h siteHours) of(site string) *chat.Timetable {
	if own := h[site]; own != nil {
		return own
	}
	if first := h[""]; first != nil {
		return first
	}
	return &chat.Timetable{}
}

// publishStatus notifies visitors of a new status of the first site, and of those with
// business hours of their own. The caller holds the presence.
func (o *operators) publishStatus(before, now operatorStatus) {
	had, has := o.presence.shown, o.presence.statuses(chat.Now())
	o.presence.shown = has
	if before == now && maps.Equal(had, has) {
		return
	}
	o.hub.BroadcastBySite(chat.StateOperatorStatus, func(site string) any {
		was, status := before, now
		if own, ok := had[site]; ok {
			was = own
		}
		if own, ok := has[site]; ok {
			status = own
		}
		if was == status {
			return nil
		}
		return status
	})
}

// statuses are those of the sites with business hours of their own.
func (p *presence) statuses(at chat.Time) map[string]operatorStatus {
	shown := map[string]operatorStatus{}
	for site := range p.hours {
		if site != "" {
			now := p.at(site, at)
			shown[site] = operatorStatus{now.Online, now.BackAt}
		}
	}
	return shown
}
