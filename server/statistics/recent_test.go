package statistics

import (
	"fmt"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestStatsDays: what happened since the first day counts for its day; what came before it
// does not, nor does a day to come have a place.
func TestStatsDays(t *testing.T) {
	const day = chat.Time(24 * 60 * 60 * 1000)
	c := newPeriod(time.UnixMilli(int64(3*day)).UTC(), 2)
	for i, at := range []chat.Time{day - 5, 3*day + 1, 3*day + 2, 4 * day, 6 * day} {
		s := chat.SessionFacts{Number: int64(i), StartedAt: at, AnsweredAt: at + 2500, RespondedAt: at, Score: i, Messages: []chat.MessageFact{{At: at, By: &chat.Writer{Sender: chat.SenderVisitor}}}}
		switch i {
		case 2:
			s.AnsweredAt, s.RespondedAt = 0, 0
		case 3:
			s.Messages = append(s.Messages, chat.MessageFact{At: at, By: &chat.Writer{Sender: chat.SenderAI}}, chat.MessageFact{At: at, By: &chat.Writer{Sender: chat.SenderOperator}})
		}
		c.session(&s)
	}
	want := "{Sessions:4 Answered:3 Visitor:4 Operator:1 AI:1 FirstAnswer:2.5 Ratings:3 Score:2.6666666666666665 " +
		"Days:[{Date:1970-01-04 Sessions:2 Messages:2} {Date:1970-01-05 Sessions:1 Messages:3}]}"
	if got := fmt.Sprintf("%+v", c.result()); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestStatsAverages: nothing is rounded before the division.
func TestStatsAverages(t *testing.T) {
	c := newPeriod(time.UnixMilli(0).UTC(), 1)
	for _, score := range []int{1, 1, 1, 2, 3, 3, 3, 4, 5} {
		c.session(&chat.SessionFacts{StartedAt: 1000, AnsweredAt: 1000 + chat.Time(score), Score: score, RespondedAt: 1000})
	}
	mean := 23.0 / 9
	if s := c.result(); s.Score != mean || s.FirstAnswer != mean/1000 {
		t.Errorf("averages are %v and %v", s.Score, s.FirstAnswer)
	}
}

// TestUsualReply: half of the visitors waited at most as long; a few say nothing.
func TestUsualReply(t *testing.T) {
	for _, tt := range []struct {
		waits []int64
		want  time.Duration
	}{{nil, 0}, {[]int64{9000, 1, 5, 7}, 0}, {[]int64{9000, 1, 5, 7, 6}, 6 * time.Millisecond}, {[]int64{9000, 1, 5, 7, 6, 8}, 6 * time.Millisecond}} {
		if got := usualReply(tt.waits); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.waits, got, tt.want)
		}
	}
}
