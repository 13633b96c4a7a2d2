package engine

import "github.com/relay-chat/relay/server/chat"

// asksOutside reports whether a site's visitors are asked who they are while nobody is there,
// and nobody is.
func (r *Relay) asksOutside(site string) bool {
	return r.SettingsOf(site).Text("outsideHours") == chat.OutsideForm && !r.PresenceAt(site).Online
}

// sendsMail reports whether a site sends e-mails whose links lead somewhere.
func (c *configuration) sendsMail(site string) bool {
	return !c.backend && c.publicURL != "" && c.SettingsOf(site).Mail().On()
}

func (c *configuration) widgetConfig(site string) map[string]any {
	config := c.SettingsOf(site).WidgetConfig(site)
	config["mailTranscript"] = c.sendsMail(site)
	return config
}

// WidgetConfig is the config of a site's widget at this moment: while nobody is there, its
// form may come before the first message.
func (r *Relay) WidgetConfig(site string) map[string]any {
	settings, config := r.SettingsOf(site), r.widgetConfig(site)
	if form := settings.PreChatForm(); len(form.Fields) > 0 && r.asksOutside(site) {
		form.Required, form.Timing = true, chat.BeforeFirstMessage
		config["preChatForm"] = form
	}
	return config
}

// asksFirst reports whether a visitor who has written nothing is asked for a name or an e-mail
// address: nobody is there, answers go out by e-mail and no AI gives one, or the site wants
// it so; and it has no form of its own for that.
func (r *Relay) asksFirst(s *chat.Session) bool {
	settings := r.SettingsOf(s.Site)
	if s.Started() || len(settings.PreChatForm().Fields) > 0 || !r.asksContact(s) {
		return false
	}
	return r.asksOutside(s.Site) || answersByMail(settings)
}
