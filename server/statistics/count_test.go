package statistics

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// counted counts sessions in a range of two days in Berlin, around the night in which the
// clock is put back: the first day has 25 hours.
func counted(t *testing.T, sessions ...chat.SessionFacts) Statistics {
	t.Helper()
	c := aroundClockChange(t)
	for i := range sessions {
		c.session(&sessions[i])
	}
	return c.result()
}

func aroundClockChange(t *testing.T) *statCount {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return newStatCount(zone, time.Date(2026, 10, 25, 0, 0, 0, 0, zone), 2, nil)
}

func utc(day, hour, minute int) chat.Time {
	return chat.TimeOf(time.Date(2026, 10, day, hour, minute, 0, 0, time.UTC))
}

// TestStatisticsDays: days and hours are those of the time zone, 25 hours long if need
// be, and what is outside of both ranges does not count.
func TestStatisticsDays(t *testing.T) {
	visitor, ada := &chat.Writer{Sender: chat.SenderVisitor}, &chat.Writer{Sender: chat.SenderOperator, Author: "Ada", Bridge: "slack"}
	s := counted(t,
		chat.SessionFacts{Number: 1, StartedAt: utc(24, 22, 0), Messages: []chat.MessageFact{ // 25 October, 00:00
			{At: utc(25, 0, 30), By: visitor}, {At: utc(25, 1, 30), By: visitor}, // 02:30 of summer and of winter
		}},
		chat.SessionFacts{Number: 2, StartedAt: utc(25, 22, 59)},                                                                 // 25 October, 23:59
		chat.SessionFacts{Number: 3, StartedAt: utc(25, 23, 0)},                                                                  // 26 October, 00:00
		chat.SessionFacts{Number: 4, StartedAt: utc(24, 21, 59)},                                                                 // the range before
		chat.SessionFacts{Number: 5, StartedAt: utc(22, 21, 59), Messages: []chat.MessageFact{{At: utc(25, 2, 30), By: ada}}},    // long ago
		chat.SessionFacts{Number: 6, StartedAt: utc(26, 23, 0), Messages: []chat.MessageFact{{At: utc(26, 23, 0), By: visitor}}}, // later
		chat.SessionFacts{Number: 7, StartedAt: utc(20, 23, 0), Messages: []chat.MessageFact{{At: utc(20, 23, 1), By: visitor}}}, // before both
	)
	if s.From != "2026-10-25" || s.To != "2026-10-26" || s.TimeZone != "Europe/Berlin" {
		t.Errorf("range %s to %s in %s", s.From, s.To, s.TimeZone)
	}
	if len(s.Days) != 2 || s.Days[0].Conversations != 2 || s.Days[1].Conversations != 1 || s.Totals.Conversations != 3 || s.Previous.Conversations != 1 {
		t.Errorf("days %+v, before %+v", s.Days, s.Previous)
	}
	if s.Hours[2].Messages != 2 || s.Hours[3].Messages != 1 || s.Week[6][2] != 2 || s.Hours[0].Conversations != 2 {
		t.Errorf("hours %+v", s.Hours)
	}
	if s.Totals.VisitorMessages != 2 || s.Totals.OperatorMessages != 1 || s.Totals.FirstResponseMedian != nil || s.Totals.AIShare != nil {
		t.Errorf("totals %+v", s.Totals)
	}
}

// TestStatisticsTimes: medians and percentiles are of what was answered and closed, by
// person and channel too.
func TestStatisticsTimes(t *testing.T) {
	var sessions []chat.SessionFacts
	ada := &chat.Writer{Sender: chat.SenderOperator, Author: "Ada", Bridge: "telegram"}
	second, console := *ada, *ada
	second.Author, console.Author, console.Bridge = "Grace", "Grace", "console"
	for i := range int64(10) {
		s := chat.SessionFacts{Number: i, StartedAt: utc(25, 8, 0), AnsweredAt: utc(25, 8, int(i)+1), Closed: true, Closings: []chat.Time{utc(25, 9, 0), utc(25, 10, 0)}}
		s.Messages = []chat.MessageFact{{At: utc(25, 9, 0), By: &second}, {At: s.AnsweredAt, By: ada}}
		if i == 9 {
			s.Messages = []chat.MessageFact{{At: utc(25, 9, 0), By: &console}, {At: s.AnsweredAt, By: &console}}
		}
		sessions = append(sessions, s)
	}
	sessions = append(sessions, chat.SessionFacts{Number: 20, StartedAt: utc(25, 8, 0), Closings: []chat.Time{utc(25, 9, 0)}}) // and reopened
	s := counted(t, sessions...)
	if *s.Totals.FirstResponseMedian != 5*60 || *s.Totals.FirstResponseP90 != 9*60 || s.Totals.Answered != 10 || s.Totals.Conversations != 11 {
		t.Errorf("first response: %v, %v", *s.Totals.FirstResponseMedian, *s.Totals.FirstResponseP90)
	}
	if s.Totals.Closed != 10 || *s.Totals.ResolutionMedian != 2*3600 || *s.Days[0].FirstResponseMedian != 5*60 || s.Days[1].FirstResponseMedian != nil {
		t.Errorf("totals %+v", s.Totals)
	}
	grace, other := s.People[0], s.People[1]
	if grace.Name != "Grace" || grace.Messages != 11 || grace.Conversations != 10 || grace.FirstResponses != 1 || *grace.FirstResponseMedian != 600 {
		t.Errorf("Grace: %+v", grace)
	}
	if other.Name != "Ada" || other.Messages != 9 || other.FirstResponses != 9 || *other.FirstResponseMedian != 300 {
		t.Errorf("Ada: %+v", other)
	}
	if len(s.Channels) != 2 || s.Channels[0].Name != "telegram" || s.Channels[1].Name != "console" || s.Channels[1].Messages != 2 {
		t.Errorf("channels: %+v", s.Channels)
	}
}

// TestStatisticsOfAI: its share is of what was answered; giving back counts when the AI
// did it by itself.
func TestStatisticsOfAI(t *testing.T) {
	at := utc(25, 8, 0)
	var back []chat.Time
	for _, taken := range []chat.Takeover{{Active: true}, {Reason: chat.AIEndOperator}, {Reason: chat.AIEndOff}, {Reason: chat.AIEndUnsure}, {Reason: chat.AIEndAsked}} {
		data, err := json.Marshal(taken)
		if err != nil {
			t.Fatal(err)
		}
		if chat.GivesBack(data) {
			back = append(back, at)
		}
	}
	ai := []chat.MessageFact{{At: at, By: &chat.Writer{Sender: chat.SenderAI}}}
	s := counted(t, chat.SessionFacts{Number: 1, StartedAt: at, Messages: ai, HandBacks: back}, chat.SessionFacts{Number: 2, StartedAt: at, AnsweredAt: at, Messages: ai},
		chat.SessionFacts{Number: 3, StartedAt: at, AnsweredAt: at}, chat.SessionFacts{Number: 4, StartedAt: at})
	if n := s.Totals; n.AIConversations != 2 || n.AIOnly != 1 || n.HandBacks != 2 || n.AIShare == nil || *n.AIShare != 1.0/3 || n.AIMessages != 2 {
		t.Errorf("%+v", n)
	}
}

func TestStatisticsOfRatings(t *testing.T) {
	at := utc(25, 8, 0)
	c := aroundClockChange(t)
	for _, s := range []chat.SessionFacts{
		{Number: 1, StartedAt: utc(1, 0, 0), RespondedAt: at, Score: 5, Commented: true},
		{Number: 2, StartedAt: at, RespondedAt: at + 1, Score: 2},
		{Number: 3, StartedAt: at, RespondedAt: at + 2, Score: 2, Commented: true},
		{Number: 4, StartedAt: at, RespondedAt: utc(23, 8, 0), Score: 1, Commented: true},
	} {
		c.session(&s)
	}
	s := c.result()
	if *s.Totals.Score != 3 || s.Totals.Ratings != 3 || *s.Previous.Score != 1 || s.Ratings.Scores != [5]int{0, 2, 0, 0, 1} {
		t.Errorf("%+v", s.Ratings)
	}
	comments, err := c.comments(commentReader{})
	want := []StatRating{{"c", 2, "of c", at + 2}, {"a", 5, "of a", at}}
	if err != nil || !slices.Equal(comments, want) {
		t.Errorf("comments %+v, %v", comments, err)
	}
}

// commentReader has comments alone.
type commentReader struct{ chat.Reader }

func (commentReader) RatingComment(session int64) (chat.RatingComment, error) {
	id := string(rune('a' + session - 1))
	return chat.RatingComment{Number: session, ID: id, Comment: "of " + id}, nil
}

// TestStatRange: mistakes say what is right.
func TestStatRange(t *testing.T) {
	for _, q := range []StatRange{{From: "x"}, {To: "2026-13-01"}, {From: "2026-02-02", To: "2026-02-01"}, {From: "2024-01-01", To: "2026-01-01"}, {From: "0001-01-01", To: "0001-01-02"}, {From: "9998-01-01", To: "9999-01-01"}} {
		if _, _, err := q.days(time.UTC); err == nil {
			t.Errorf("%+v is accepted", q)
		}
	}
	first, n, err := StatRange{From: "2026-01-01", To: "2026-12-31"}.days(time.UTC)
	if err != nil || n != 365 || first.Format(time.DateOnly) != "2026-01-01" {
		t.Errorf("%s, %d, %v", first, n, err)
	}
}

// TestStatisticsOfPeople: a person of the team is one, by any name and on any channel,
// under the name of today; who left keeps the last one. A name alone is nobody of them.
func TestStatisticsOfPeople(t *testing.T) {
	zone := time.UTC
	c := newStatCount(zone, time.Date(2026, 10, 25, 0, 0, 0, 0, zone), 1, []chat.Person{{ID: "a", Name: "Ada Lovelace"}})
	s := chat.SessionFacts{Number: 1, StartedAt: utc(25, 8, 0), AnsweredAt: utc(25, 8, 1)}
	for i, w := range []chat.Writer{{Person: "a", Author: "Ada", Bridge: "slack"}, {Person: "a", Author: "Ada L", Bridge: "console"}, {Author: "Ada", Bridge: "slack"},
		{Person: "a", Author: "Ada", Bridge: "slack"}, {Person: "g", Author: "Grace H"}, {Person: "g", Author: "Grace"}} {
		w.Sender = chat.SenderOperator
		s.Messages = append(s.Messages, chat.MessageFact{At: utc(25, 8, 1+i), By: &w})
	}
	c.session(&s)
	var got []string
	for _, g := range c.result().People {
		got = append(got, g.ID+" "+g.Name+" "+strconv.Itoa(g.Messages)+" "+strconv.Itoa(g.FirstResponses))
	}
	want := []string{"a Ada Lovelace 3 1", "g Grace 2 0", " Ada 1 0"}
	if !slices.Equal(got, want) {
		t.Errorf("people %q, want %q", got, want)
	}
}

// TestDaysWithoutMidnight: each day comes once and begins at its first instant, also where
// clocks skip midnight or show it twice, or a whole day is missing.
func TestDaysWithoutMidnight(t *testing.T) {
	for _, tt := range []struct{ zone, day, begins string }{
		{"America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00"}, {"America/Santiago", "2026-09-07", "2026-09-07T00:00:00-03:00"},
		{"America/Santiago", "2026-04-05", "2026-04-05T00:00:00-04:00"}, {"America/Havana", "2026-03-08", "2026-03-08T01:00:00-04:00"},
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"}, {"Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00Z"},
		{"Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00Z"}, {"Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"},
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"}, {"Pacific/Kiritimati", "2026-01-01", "2026-01-01T00:00:00+14:00"},
		{"Pacific/Pago_Pago", "2026-01-01", "2026-01-01T00:00:00-11:00"}, {"UTC", "2026-01-01", "2026-01-01T00:00:00Z"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, n, err := StatRange{From: tt.day, To: tt.day}.days(zone)
		if err != nil || n != 1 {
			t.Fatal(n, err)
		}
		begins := dayBegins(day, zone)
		if got := begins.Format(time.RFC3339); got != tt.begins {
			t.Errorf("%s in %s begins at %s, want %s", tt.day, tt.zone, got, tt.begins)
		}
		first := day.AddDate(0, 0, -2)
		c := newStatCount(zone, first, 5, nil)
		for i := range 5 {
			if got, want := c.days[5+i].Date, first.AddDate(0, 0, i).Format(time.DateOnly); got != want {
				t.Errorf("day %d around %s in %s is %s", i, tt.day, tt.zone, got)
			}
		}
		if place := c.at(chat.TimeOf(begins)); c.days[place.day].Date != begins.Format(time.DateOnly) {
			t.Errorf("%s counts for %s", begins, c.days[place.day].Date)
		}
		if place := c.at(chat.TimeOf(begins) - 1); place.day != 6 {
			t.Errorf("the moment before %s counts for %s", begins, c.days[place.day].Date)
		}
	}
}
