package engine

import (
	"maps"
	"slices"

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

// publishStatus notifies visitors of a new status of the first site, and of those where it
// may differ; elsewhere: it has changed at one of these. The caller holds the presence.
func (o *operators) publishStatus(before, now operatorStatus) (elsewhere bool) {
	had, has := o.presence.shown, o.presence.statuses(chat.Now())
	o.presence.shown = has
	elsewhere = !maps.Equal(had, has)
	if before == now && !elsewhere {
		return false
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
	return elsewhere
}

// statuses are those of the sites with business hours of their own; and of all others, too,
// while somebody is there for some sites alone.
func (p *presence) statuses(at chat.Time) map[string]operatorStatus {
	shown := map[string]operatorStatus{}
	present := p.present(at)
	differs := len(p.holds) > 0 || slices.ContainsFunc(present, func(o Present) bool { return o.sites != nil })
	for _, site := range p.sites {
		if site != "" && (differs || p.hours[site] != nil) {
			now := p.among(present, site, at)
			shown[site] = operatorStatus{now.Online, now.BackAt}
		}
	}
	return shown
}
