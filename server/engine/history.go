package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// History is a part of a session's messages, oldest first, with the cursor of
// the same snapshot.
type History struct {
	Messages []chat.Message
	Timeline []chat.TimelineEntry
	HasMore  bool
	Rev      int64
}

// maxPage is how many bytes of text the messages of a page have, at most, unless one alone
// has more: an operator's hundred longest have sixteen megabytes.
const maxPage = 1 << 20

// HistoryQuery selects a part of the history: the newest, or those before or
// after a message.
type HistoryQuery struct {
	SessionID     string
	Before, After string // message ids
	Limit         int
	public        bool // without internal notes
}

// History reads messages of a session.
func (r *Relay) History(ctx context.Context, by chat.Author, q HistoryQuery) (History, error) {
	var h History
	err := r.store.Read(ctx, func(rd chat.Reader) error {
		s, err := rd.SessionHeader(q.SessionID)
		if err != nil {
			return err
		}
		if err := by.Authorise(&s); err != nil {
			return err
		}
		q.public = by.Sender == chat.SenderVisitor
		h, err = history(rd, &s, q)
		return err
	})
	return h, err
}

func history(rd chat.ConversationReader, s *chat.Session, q HistoryQuery) (History, error) {
	mq := chat.MessageQuery{SessionID: s.ID, Limit: q.Limit + 1, Public: q.public}
	for _, edge := range []struct {
		id  string
		seq *int64
	}{{q.Before, &mq.Before}, {q.After, &mq.After}} {
		if edge.id == "" {
			continue
		}
		m, err := rd.Message(s.ID, edge.id)
		if err == nil && m.Internal && q.public {
			err = chat.ErrMessageNotFound
		}
		if err != nil {
			return History{}, err
		}
		*edge.seq = m.Seq
	}
	list, err := rd.Messages(mq)
	if err != nil {
		return History{}, err
	}
	for i := range list {
		list[i].HideFromOthers(!q.public)
	}
	n := pageLength(list, q)
	h := History{Messages: list[len(list)-n:], HasMore: len(list) > n, Rev: s.Rev}
	if q.After != "" {
		h.Messages = list[:n]
	}
	return h, h.addTimeline(rd, q, mq)
}

// pageLength is how many messages of a list fit into a page, counted from the end that was
// asked for.
func pageLength(list []chat.Message, q HistoryQuery) int {
	n, size := 0, 0
	for ; n < min(len(list), q.Limit); n++ {
		at := len(list) - 1 - n
		if q.After != "" {
			at = n
		}
		if size += len(list[at].Content); size > maxPage && n > 0 {
			break
		}
	}
	return n
}
