package chat

// AppendJSON appends the message as [json.Marshal] renders it, at a fraction
// of its cost: each message is rendered for its event and for its sender.
func (m *Message) AppendJSON(b []byte) []byte {
	return m.appendFields(append(b, '{'))
}

// appendFields appends what follows the opening brace.
func (m *Message) appendFields(b []byte) []byte {
	b = appendString(append(b, `"id":`...), m.ID)
	b = appendString(append(b, `,"sessionId":`...), m.SessionID)
	b = appendString(append(b, `,"content":`...), m.Content)
	b = appendString(append(b, `,"sender":`...), string(m.Sender))
	b = m.Timestamp.appendJSON(append(b, `,"timestamp":`...))
	b = appendOptional(b, `,"replyTo":`, m.ReplyTo)
	b = append(b, `,"attachments":`...)
	if list := m.Attachments.V; list != nil && len(list) == 0 {
		b = append(b, "[]"...)
	} else {
		b = append(b, MustJSON(list)...)
	}
	b = appendOptional(b, `,"operatorName":`, m.OperatorName)
	b = appendOptional(b, `,"operatorId":`, m.OperatorID)
	b = appendOptional(b, `,"sourceBridge":`, m.SourceBridge)
	b = appendOptional(b, `,"clientId":`, m.ClientID)
	b = appendMoment(b, `,"editedAt":`, m.EditedAt)
	b = appendMoment(b, `,"deletedAt":`, m.DeletedAt)
	b = appendMoment(b, `,"deliveredAt":`, m.DeliveredAt)
	b = appendMoment(b, `,"readAt":`, m.ReadAt)
	if m.Internal {
		b = append(b, `,"internal":true`...)
	}
	if m.Draft {
		b = append(b, `,"draft":true`...)
	}
	b = appendMoment(b, `,"sentAt":`, m.SentAt)
	if len(m.Sources) > 0 {
		b = append(append(b, `,"sources":`...), MustJSON(m.Sources)...)
	}
	if len(m.Buttons) > 0 {
		b = append(append(b, `,"buttons":`...), MustJSON(m.Buttons)...)
	}
	return append(b, '}')
}

func appendOptional(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return appendString(append(b, name...), text)
}

func appendMoment(b []byte, name string, t Time) []byte {
	if t == 0 {
		return b
	}
	return t.appendJSON(append(b, name...))
}

// appendString appends a JSON string. Text that needs escaping is left to
// encoding/json.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return append(b, MustJSON(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
