package chat

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"time"
)

// maxRatingComments is how many comments statistics show.
const maxRatingComments = 50

// statCount counts a range of days and as many days before it.
type statCount struct {
	zone     *time.Location
	first    time.Time // the first day of the range; see StatRange.days
	n        int       // days of the range
	days     []statDay // of both ranges
	hours    [24]StatHour
	week     [7][24]int
	sessions map[int64]*statSession
	people   []Person
	left     map[string]MessageFact // the last one of each person, by id
	ratings  StatRatings
	// dates finds a day by its number of the calendar.
	quarter int64 // the quarter of an hour that place is of: offsets are multiples of it
	place   statPlace
}

// statDay is a day that is being counted.
type statDay struct {
	StatDay
	responses, resolutions []int64 // in milliseconds
	scores                 int
	answered, handBacks    int
	ai, aiOnly             int
}

// statSession is what is known of a session.
type statSession struct {
	SessionFact
	ai       bool // the AI answered in one of the ranges
	closedAt Time
	first    MessageFact // of the operators
	groups   map[statKey]int
}

// statKey is a person, by the id if it is one of the team, or a channel.
type statKey struct {
	channel  bool
	id, name string
}

// statPlace is where a moment belongs: day is negative outside of both ranges.
type statPlace struct{ day, hour, weekday int }

func newStatCount(zone *time.Location, first time.Time, n int) *statCount {
	c := &statCount{zone: zone, first: first, n: n, days: make([]statDay, 2*n), sessions: map[int64]*statSession{}, left: map[string]MessageFact{}, quarter: -1}
	for i := range c.days {
		c.days[i].Date = first.AddDate(0, 0, i-n).Format(time.DateOnly)
	}
	for i := range c.hours {
		c.hours[i].Hour = i
	}
	c.ratings.Comments = []StatRating{}
	return c
}

// at finds the place of a moment.
func (c *statCount) at(t Time) statPlace {
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

// facts returns what counts. It does nothing more once ctx has ended.
func (c *statCount) facts(ctx context.Context) Facts {
	return Facts{
		Session: func(f SessionFact) { c.sessions[f.Number] = &statSession{SessionFact: f} },
		Message: func(f MessageFact) {
			if ctx.Err() == nil {
				c.message(f)
			}
		},
		Entry: c.entry,
	}
}

func (c *statCount) message(f MessageFact) {
	s, place := c.sessions[f.Session], c.at(f.At)
	if s == nil || place.day < 0 {
		return
	}
	day := &c.days[place.day]
	switch f.Sender {
	case SenderVisitor:
		day.VisitorMessages++
	case SenderAI:
		day.AIMessages++
		s.ai = true
	default:
		day.OperatorMessages++
		c.answer(s, f, c.current(place.day))
	}
	if c.current(place.day) {
		c.hours[place.hour].Messages++
		if f.Sender == SenderVisitor {
			c.week[place.weekday][place.hour]++
		}
	}
}

// answer counts an operator's message.
func (c *statCount) answer(s *statSession, f MessageFact, current bool) {
	if s.first.At == 0 || f.At < s.first.At {
		s.first = f
	}
	if !current {
		return
	}
	if f.Person != "" && f.At >= c.left[f.Person].At {
		c.left[f.Person] = f
	}
	if s.groups == nil {
		s.groups = map[statKey]int{}
	}
	for _, key := range f.groups() {
		s.groups[key]++
	}
}

func (f *MessageFact) groups() [2]statKey {
	who := statKey{id: f.Person}
	if f.Person == "" {
		who.name = f.Author
	}
	return [2]statKey{who, {channel: true, name: cmp.Or(f.Bridge, SourceAPI)}}
}

func (c *statCount) entry(f EntryFact) {
	s, place := c.sessions[f.Session], c.at(f.At)
	switch {
	case s == nil || place.day < 0:
	case f.Type == EventSessionClosed:
		s.closedAt = max(s.closedAt, f.At)
	case f.givenBack():
		c.days[place.day].handBacks++
	}
}

// settle counts what is known only once everything was read.
func (c *statCount) settle(s *statSession) {
	if place := c.at(s.StartedAt); place.day >= 0 {
		c.begun(s, place)
	}
	if place := c.at(s.closedAt); s.closedAt > 0 && place.day >= 0 && s.Status == StatusClosed {
		day := &c.days[place.day]
		day.Closed++
		day.resolutions = append(day.resolutions, max(int64(s.closedAt-s.StartedAt), 0))
	}
	if place := c.at(s.RespondedAt); s.RespondedAt > 0 && place.day >= 0 {
		c.rated(s, place.day)
	}
}

// begun counts a session that began in one of the ranges.
func (c *statCount) begun(s *statSession, place statPlace) {
	day := &c.days[place.day]
	day.Conversations++
	if s.AnsweredAt > 0 {
		day.answered++
		day.responses = append(day.responses, max(int64(s.AnsweredAt-s.StartedAt), 0))
	}
	if s.ai {
		day.ai++
		if s.AnsweredAt == 0 {
			day.aiOnly++
		}
	}
	if c.current(place.day) {
		c.hours[place.hour].Conversations++
	}
}

func (c *statCount) rated(s *statSession, number int) {
	day := &c.days[number]
	day.Ratings++
	day.scores += s.Score
	if !c.current(number) {
		return
	}
	if s.Score >= 1 && s.Score <= len(c.ratings.Scores) {
		c.ratings.Scores[s.Score-1]++
	}
	if s.Comment != "" {
		c.ratings.Comments = append(c.ratings.Comments, StatRating{s.ID, s.Score, s.Comment, s.RespondedAt})
	}
}

// result returns the statistics of what was counted.
func (c *statCount) result() Statistics {
	for _, s := range c.sessions {
		c.settle(s)
	}
	sort.Slice(c.ratings.Comments, func(i, j int) bool {
		a, b := &c.ratings.Comments[i], &c.ratings.Comments[j]
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.SessionID, b.SessionID)) < 0
	})
	c.ratings.Comments = c.ratings.Comments[:min(len(c.ratings.Comments), maxRatingComments)]
	out := Statistics{From: c.days[c.n].Date, To: c.days[2*c.n-1].Date, TimeZone: c.zone.String(), Hours: c.hours[:], Week: c.week, Ratings: c.ratings,
		Totals: totalsOf(c.days[c.n:]), Previous: totalsOf(c.days[:c.n])}
	for i := range c.days[c.n:] {
		d := &c.days[c.n+i]
		d.FirstResponseMedian, d.Score = median(d.responses), ratio(d.scores, d.Ratings)
		out.Days = append(out.Days, d.StatDay)
	}
	out.People, out.Channels = c.groups()
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
	if i := slices.IndexFunc(c.people, func(p Person) bool { return p.ID == key.id }); key.id != "" && i >= 0 {
		return c.people[i].Name
	}
	return cmp.Or(key.name, c.left[key.id].Author)
}

// groups returns the numbers by person and by channel, the busiest first.
func (c *statCount) groups() (people, channels []StatGroup) {
	all, waits := map[statKey]*StatGroup{}, map[statKey][]int64{}
	for _, s := range c.sessions {
		for key, messages := range s.groups {
			if all[key] == nil {
				all[key] = &StatGroup{ID: key.id, Name: c.nameOf(key)}
			}
			all[key].Messages += messages
			all[key].Conversations++
		}
		if place := c.at(s.StartedAt); s.first.At == s.AnsweredAt && s.AnsweredAt > 0 && c.current(place.day) {
			for _, key := range s.first.groups() {
				if all[key] != nil {
					waits[key] = append(waits[key], max(int64(s.AnsweredAt-s.StartedAt), 0))
				}
			}
		}
	}
	people, channels = []StatGroup{}, []StatGroup{}
	keys := slices.Collect(maps.Keys(all))
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return cmp.Or(cmp.Compare(all[b].Messages, all[a].Messages), cmp.Compare(all[a].Name, all[b].Name), cmp.Compare(a.id, b.id)) < 0
	})
	for _, key := range keys {
		g := all[key]
		g.FirstResponses, g.FirstResponseMedian, g.FirstResponseP90 = len(waits[key]), median(waits[key]), p90(waits[key])
		if key.channel {
			channels = append(channels, *g)
		} else {
			people = append(people, *g)
		}
	}
	return people, channels
}
