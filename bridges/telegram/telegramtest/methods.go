package telegramtest

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// call carries out a method.
func (f *Platform) call(r *http.Request, method string, p params) (any, *apiError) {
	if method == "getUpdates" {
		return f.getUpdates(r.Context(), p)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	methods := map[string]func(params) (any, *apiError){
		"getMe": f.getMe, "setMyCommands": f.setMyCommands, "getFile": f.getFile,
		"getWebhookInfo": f.getWebhookInfo, "setWebhook": f.setWebhook, "deleteWebhook": f.deleteWebhook,
	}
	if do, ok := methods[method]; ok {
		return do(p)
	}
	inGroup := map[string]func(params) (any, *apiError){
		"getChat": f.getChat, "getChatMember": f.getChatMember,
		"createForumTopic": f.createForumTopic, "closeForumTopic": f.closeForumTopic, "reopenForumTopic": f.reopenForumTopic,
		"deleteForumTopic": f.deleteForumTopic,
		"sendMessage":      f.sendMessage, "sendPhoto": f.sendFile("photo"), "sendDocument": f.sendFile("document"), "sendVoice": f.sendFile("voice"),
		"editMessageText": f.editMessageText, "editMessageCaption": f.editMessageCaption, "deleteMessage": f.deleteMessage,
		"setMessageReaction": f.setMessageReaction, "sendChatAction": f.sendChatAction,
	}
	do, ok := inGroup[method]
	if !ok {
		return nil, &apiError{Code: 404, Description: "Not Found"}
	}
	if refusal := f.enter(method, p.int("chat_id")); refusal != nil {
		return nil, refusal
	}
	return do(p)
}

// enter checks that the bot is in the chat.
func (f *Platform) enter(method string, chat int64) *apiError {
	switch {
	case f.group.movedTo != 0 && chat == f.Group:
		return &apiError{400, "Bad Request: group chat was upgraded to a supergroup chat", map[string]any{"migrate_to_chat_id": f.group.movedTo}}
	case slices.Contains(f.others, chat):
		return nil
	case chat != f.Group && chat != f.group.movedTo:
		return badRequest("chat not found")
	case f.group.kicked && method != "getChatMember":
		return &apiError{Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}
	}
	return nil
}

func (f *Platform) getMe(params) (any, *apiError) {
	me := bot().render()
	me["username"] = botName
	return me, nil
}

func (f *Platform) getChat(p params) (any, *apiError) { return f.chat(p.int("chat_id")), nil }

func (f *Platform) getChatMember(params) (any, *apiError) {
	me, _ := f.getMe(nil)
	switch {
	case f.group.kicked:
		return map[string]any{"status": "kicked", "user": me, "until_date": 0}, nil
	case f.group.demoted:
		return map[string]any{"status": "member", "user": me}, nil
	}
	return map[string]any{"status": "administrator", "user": me, "can_manage_topics": true, "can_delete_messages": !f.group.noDelete}, nil
}

func (f *Platform) setMyCommands(p params) (any, *apiError) {
	f.commands, _ = p["commands"].([]any)
	return true, nil
}

func (f *Platform) sendMessage(p params) (any, *apiError) {
	text, refusal := shownText(p, "text", "parse_mode")
	switch {
	case refusal != nil:
		return nil, refusal
	case strings.TrimSpace(text) == "":
		return nil, badRequest("message text is empty")
	case utf16Len(text) > 4096:
		return nil, badRequest("message is too long")
	}
	return f.send(p, &message{text: text})
}

func (f *Platform) sendFile(kind string) func(params) (any, *apiError) {
	return func(p params) (any, *apiError) {
		upload, ok := p[kind].(*inputFile)
		if !ok || len(upload.Data) == 0 {
			return nil, badRequest("file must be non-empty")
		}
		caption, refusal := shownText(p, "caption", "parse_mode")
		switch {
		case refusal != nil:
			return nil, refusal
		case utf16Len(caption) > 1024:
			return nil, badRequest("message caption is too long")
		case kind == "photo" && !strings.HasPrefix(http.DetectContentType(upload.Data), "image/"):
			return nil, badRequest("IMAGE_PROCESS_FAILED")
		}
		return f.send(p, &message{text: caption, file: f.keep(kind, upload.Name, "", upload.Data)})
	}
}

// send puts the bot's message where it is to go.
func (f *Platform) send(p params, m *message) (any, *apiError) {
	var refusal *apiError
	if m.topic, refusal = f.place(p); refusal != nil {
		return nil, refusal
	}
	if reply := p.in("reply_parameters", ""); reply != nil {
		answered := f.messages[reply.int("message_id")]
		switch allowed, _ := reply["allow_sending_without_reply"].(bool); {
		case answered != nil && answered.topic == m.topic:
			m.replyTo = answered.id
		case !allowed:
			return nil, badRequest("message to be replied not found")
		}
	}
	if refusal := f.spend(); refusal != nil {
		return nil, refusal
	}
	m.from, m.group = bot(), p.int("chat_id")
	return f.render(f.newMessage(m)), nil
}

func (f *Platform) editMessageText(p params) (any, *apiError) {
	text, refusal := shownText(p, "text", "parse_mode")
	if refusal == nil && utf16Len(text) > 4096 {
		refusal = badRequest("message is too long")
	}
	return f.edit(p, text, refusal, false)
}

func (f *Platform) editMessageCaption(p params) (any, *apiError) {
	text, refusal := shownText(p, "caption", "parse_mode")
	if refusal == nil && utf16Len(text) > 1024 {
		refusal = badRequest("message caption is too long")
	}
	return f.edit(p, text, refusal, true)
}

func (f *Platform) edit(p params, text string, refusal *apiError, caption bool) (any, *apiError) {
	m := f.message(p)
	switch {
	case refusal != nil:
		return nil, refusal
	case m == nil || f.topic(m.topic) == nil:
		return nil, badRequest("message to edit not found")
	case m.from.id != botID || m.service != nil:
		return nil, badRequest("message can't be edited")
	case m.file != nil && !caption:
		return nil, badRequest("there is no text in the message to edit")
	case m.file == nil && caption:
		return nil, badRequest("there is no caption in the message to edit")
	}
	if refusal := f.spend(); refusal != nil {
		return nil, refusal
	}
	if m.text == text {
		return nil, badRequest("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	m.text = text
	return f.render(m), nil
}

// Lacks implements [bridgetest.Lacking]: bots delete messages of the last 48 hours only.
func (f *Platform) Lacks(feature string) bool { return feature == "old deletes" }

func (f *Platform) deleteMessage(p params) (any, *apiError) {
	m := f.message(p)
	switch {
	case m == nil || f.topic(m.topic) == nil && m.topic != 0:
		return nil, badRequest("message to delete not found")
	case m.service != nil, m.from.id != botID && f.group.noDelete:
		return nil, badRequest("message can't be deleted")
	case time.Since(time.Unix(m.date, 0)) > 48*time.Hour:
		return nil, badRequest("message can't be deleted for everyone")
	}
	f.remove(m)
	return true, nil
}

func (f *Platform) setMessageReaction(p params) (any, *apiError) {
	m := f.message(p)
	if m == nil {
		return nil, badRequest("message to react not found")
	}
	list, _ := p["reaction"].([]any)
	m.receipt = ""
	for _, r := range list {
		object, _ := r.(map[string]any)
		emoji := params(object).text("emoji")
		if len(f.schema.typed("", "ReactionType", r)) > 0 {
			return nil, badRequest("REACTION_INVALID")
		}
		m.receipt = emoji
	}
	return true, nil
}

func (f *Platform) sendChatAction(p params) (any, *apiError) {
	_, refusal := f.place(p)
	return true, refusal
}
