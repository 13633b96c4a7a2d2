package telegram

import (
	"slices"
	"sync"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// groups are those that updates name: the Bot API does not list a bot's groups.
type groups struct {
	mu    sync.Mutex
	known []group
}

type group struct {
	id    int64
	title string
}

// maxGroups bounds the groups that are looked at.
const maxGroups = 20

// groupUpdate is what an update says about a group.
type groupUpdate struct {
	Member  *groupEvent `json:"my_chat_member"`
	Message *groupEvent `json:"message"`
}

type groupEvent struct {
	Chat struct {
		ID    int64  `json:"id"`
		Type  string `json:"type"`
		Title string `json:"title"`
	} `json:"chat"`
	Now *struct {
		Status string `json:"status"`
	} `json:"new_chat_member"`
	MovedTo int64 `json:"migrate_to_chat_id"`
}

// learn keeps what an update says, the newest last.
func (s *groups) learn(u groupUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range []*groupEvent{u.Member, u.Message} {
		if e == nil || e.Chat.Type != "group" && e.Chat.Type != "supergroup" {
			continue
		}
		s.known = slices.DeleteFunc(s.known, func(g group) bool { return g.id == e.Chat.ID || g.id == e.MovedTo })
		switch {
		case e.MovedTo != 0:
			s.known = append(s.known, group{e.MovedTo, e.Chat.Title})
		case e == u.Member && e.Now != nil && (e.Now.Status == gotgbot.ChatMemberStatusLeft || e.Now.Status == gotgbot.ChatMemberStatusBanned):
		default:
			s.known = append(s.known, group{e.Chat.ID, e.Chat.Title})
		}
	}
	if more := len(s.known) - maxGroups; more > 0 {
		s.known = s.known[more:]
	}
}

func (s *groups) list() []group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.known)
}
