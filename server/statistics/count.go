package statistics

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// maxRatingComments is how many comments statistics show.
const maxRatingComments = 50

// statCount counts a range of days and as many days before it, session by session.
type statCount struct {
	zone      *time.Location
	first     time.Time // the first day of the range; see StatRange.days
	n         int       // days of the range
	days      []statDay // of both ranges
	hours     [24]StatHour
	week      [7][24]int
	people    []chat.Person
	groups    map[statKey]*statGroup
	left      map[string]leftName // by the person's id
	scores    [5]int
	commented []statRating // sessions whose rating has a comment
	quarter   int64        // the quarter of an hour that place is of: offsets are multiples of it
	place     statPlace
}

// statDay is a day that is being counted.
type statDay struct {
	StatDay
	responses, resolutions []int64 // in milliseconds
	scores                 int
	answered, handBacks    int
	ai, aiOnly             int
}

// statGroup is a person or a channel that is being counted.
type statGroup struct {
	StatGroup
	waits []int64
	last  int64 // the session that was counted last
}

// statKey is a person, by the id if it is one of the team, or a channel.
type statKey struct {
	channel  bool
	id, name string
}

// leftName is the name under which a person wrote last.
type leftName struct {
	at   chat.Time
	name string
}

// statRating is a rating whose comment is read once all are known.
type statRating struct {
	session int64
	score   int
	at      chat.Time
}

// statPlace is where a moment belongs: day is negative outside of both ranges.
type statPlace struct{ day, hour, weekday int }

func newStatCount(zone *time.Location, first time.Time, n int, people []chat.Person) *statCount {
	c := &statCount{zone: zone, first: first, n: n, days: make([]statDay, 2*n), people: people,
		groups: map[statKey]*statGroup{}, left: map[string]leftName{}, quarter: -1}
	for i := range c.days {
		c.days[i].Date = first.AddDate(0, 0, i-n).Format(time.DateOnly)
	}
	for i := range c.hours {
		c.hours[i].Hour = i
	}
	return c
}

// at finds the place of a moment.
func (c *statCount) at(t chat.Time) statPlace {
	if q := int64(t) / (15 * 60_000); q != c.quarter {
		local := t.Std().In(c.zone)
		c.quarter, c.place = q, statPlace{calendarDays(c.first, local) + c.n, local.Hour(), (int(local.Weekday()) + 6) % 7}
		if c.place.day >= len(c.days) {
			c.place.day = -1
		}
	}
	return c.place
}

// current reports whether a day is of the range itself.
func (c *statCount) current(day int) bool { return day >= c.n }

// session counts a session. What is outside of both ranges does not count.
func (c *statCount) session(s *chat.SessionFacts) {
	var first *chat.MessageFact // of the operators
	ai := false                 // it answered in one of the ranges
	for i := range s.Messages {
		m := &s.Messages[i]
		place := c.at(m.At)
		if place.day < 0 {
			continue
		}
		c.message(s, m, place)
		switch {
		case m.By.Sender == chat.SenderAI:
			ai = true
		case m.By.Sender != chat.SenderVisitor && (first == nil || m.At < first.At):
			first = m
		}
	}
	if place := c.at(s.StartedAt); place.day >= 0 {
		c.begun(s, place, ai)
		if first != nil && first.At == s.AnsweredAt && c.current(place.day) {
			c.firstAnswer(s, first)
		}
	}
	c.entries(s)
	if place := c.at(s.RespondedAt); s.RespondedAt > 0 && place.day >= 0 {
		c.rated(s, place.day)
	}
}

func (c *statCount) message(s *chat.SessionFacts, m *chat.MessageFact, place statPlace) {
	day, current := &c.days[place.day], c.current(place.day)
	switch m.By.Sender {
	case chat.SenderVisitor:
		day.VisitorMessages++
	case chat.SenderAI:
		day.AIMessages++
	default:
		day.OperatorMessages++
		if current {
			c.answer(s, m)
		}
	}
	if current {
		c.hours[place.hour].Messages++
		if m.By.Sender == chat.SenderVisitor {
			c.week[place.weekday][place.hour]++
		}
	}
}

// answer counts an operator's message of the range for who wrote it, and for its channel.
func (c *statCount) answer(s *chat.SessionFacts, m *chat.MessageFact) {
	if id := m.By.Person; id != "" && m.At >= c.left[id].at {
		c.left[id] = leftName{m.At, m.By.Author}
	}
	for _, key := range groupsOf(m.By) {
		g := c.groups[key]
		if g == nil {
			g = &statGroup{last: -1}
			c.groups[key] = g
		}
		g.Messages++
		if g.last != s.Number {
			g.last = s.Number
			g.Conversations++
		}
	}
}

// firstAnswer counts how long a session waited for those who answered it first.
func (c *statCount) firstAnswer(s *chat.SessionFacts, m *chat.MessageFact) {
	for _, key := range groupsOf(m.By) {
		if g := c.groups[key]; g != nil {
			g.waits = append(g.waits, max(int64(s.AnsweredAt-s.StartedAt), 0))
		}
	}
}

// groupsOf returns who an answer counts for, and its channel.
func groupsOf(w *chat.Writer) [2]statKey {
	who := statKey{id: w.Person}
	if w.Person == "" {
		who.name = w.Author
	}
	return [2]statKey{who, {channel: true, name: cmp.Or(w.Bridge, chat.SourceAPI)}}
}

// entries counts when the AI gave a session back, and its last closing if it is closed.
func (c *statCount) entries(s *chat.SessionFacts) {
	for _, at := range s.HandBacks {
		if place := c.at(at); place.day >= 0 {
			c.days[place.day].handBacks++
		}
	}
	var closedAt chat.Time
	for _, at := range s.Closings {
		if c.at(at).day >= 0 {
			closedAt = max(closedAt, at)
		}
	}
	if closedAt > 0 && s.Closed {
		day := &c.days[c.at(closedAt).day]
		day.Closed++
		day.resolutions = append(day.resolutions, max(int64(closedAt-s.StartedAt), 0))
	}
}

// begun counts a session that began in one of the ranges.
func (c *statCount) begun(s *chat.SessionFacts, place statPlace, ai bool) {
	day := &c.days[place.day]
	day.Conversations++
	if s.AnsweredAt > 0 {
		day.answered++
		day.responses = append(day.responses, max(int64(s.AnsweredAt-s.StartedAt), 0))
	}
	if ai {
		day.ai++
		if s.AnsweredAt == 0 {
			day.aiOnly++
		}
	}
	if c.current(place.day) {
		c.hours[place.hour].Conversations++
	}
}

func (c *statCount) rated(s *chat.SessionFacts, number int) {
	day := &c.days[number]
	day.Ratings++
	day.scores += s.Score
	if !c.current(number) {
		return
	}
	if s.Score >= 1 && s.Score <= len(c.scores) {
		c.scores[s.Score-1]++
	}
	if s.Commented {
		c.commented = append(c.commented, statRating{s.Number, s.Score, s.RespondedAt})
	}
}

// comments reads the newest comments.
func (c *statCount) comments(rd chat.Reader) ([]StatRating, error) {
	sort.Slice(c.commented, func(i, j int) bool {
		a, b := c.commented[i], c.commented[j]
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.session, b.session)) < 0
	})
	ratings := []StatRating{}
	for _, r := range c.commented[:min(len(c.commented), maxRatingComments)] {
		written, err := rd.RatingComment(r.session)
		if err != nil {
			return nil, err
		}
		ratings = append(ratings, StatRating{written.ID, r.score, written.Comment, r.at})
	}
	return ratings, nil
}

// result returns the statistics of what was counted, without the comments.
func (c *statCount) result() Statistics {
	out := Statistics{From: c.days[c.n].Date, To: c.days[2*c.n-1].Date, TimeZone: c.zone.String(), Hours: c.hours[:], Week: c.week,
		Ratings: StatRatings{Scores: c.scores}, Totals: totalsOf(c.days[c.n:]), Previous: totalsOf(c.days[:c.n])}
	for i := range c.days[c.n:] {
		d := &c.days[c.n+i]
		d.FirstResponseMedian, d.Score = median(d.responses), ratio(d.scores, d.Ratings)
		out.Days = append(out.Days, d.StatDay)
	}
	out.People, out.Channels = c.listGroups()
	return out
}

func totalsOf(days []statDay) (t Totals) {
	var responses, resolutions []int64
	scores := 0
	for i := range days {
		d := &days[i]
		t.Conversations += d.Conversations
		t.Answered += d.answered
		t.Closed += d.Closed
		t.VisitorMessages += d.VisitorMessages
		t.OperatorMessages += d.OperatorMessages
		t.AIMessages += d.AIMessages
		t.AIConversations += d.ai
		t.AIOnly += d.aiOnly
		t.HandBacks += d.handBacks
		t.Ratings += d.Ratings
		scores += d.scores
		responses = append(responses, d.responses...)
		resolutions = append(resolutions, d.resolutions...)
	}
	t.FirstResponseMedian, t.FirstResponseP90 = median(responses), p90(responses)
	t.ResolutionMedian, t.ResolutionP90 = median(resolutions), p90(resolutions)
	t.AIShare, t.Score = ratio(t.AIOnly, t.Answered+t.AIOnly), ratio(scores, t.Ratings)
	return t
}

// nameOf is what a group is called: people by their name of today, those who left as
// they wrote last.
func (c *statCount) nameOf(key statKey) string {
	if i := slices.IndexFunc(c.people, func(p chat.Person) bool { return p.ID == key.id }); key.id != "" && i >= 0 {
		return c.people[i].Name
	}
	return cmp.Or(key.name, c.left[key.id].name)
}

// listGroups returns the numbers by person and by channel, the busiest first.
func (c *statCount) listGroups() (people, channels []StatGroup) {
	people, channels = []StatGroup{}, []StatGroup{}
	for key, g := range c.groups {
		g.ID, g.Name = key.id, c.nameOf(key)
		g.FirstResponses, g.FirstResponseMedian, g.FirstResponseP90 = len(g.waits), median(g.waits), p90(g.waits)
		if key.channel {
			channels = append(channels, g.StatGroup)
		} else {
			people = append(people, g.StatGroup)
		}
	}
	for _, list := range [][]StatGroup{people, channels} {
		sort.Slice(list, func(i, j int) bool {
			a, b := &list[i], &list[j]
			return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) < 0
		})
	}
	return people, channels
}
