package chat

import (
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // containers and Windows have no time zones of their own
)

// BusinessHours say when operators are there. Weekly holds intervals like
// "09:00-17:00" by the name of a day in English, Exceptions those of single dates
// (2026-12-24), none for a closed one. An interval that ends before it starts
// lasts until the next day; it belongs to the day on which it starts.
type BusinessHours struct {
	TimeZone   string              `json:"timezone"`
	Weekly     map[string][]string `json:"weekly"`
	Exceptions map[string][]string `json:"exceptions,omitempty"`
}

// Bounds of what can be set.
const (
	maxIntervals  = 10
	maxExceptions = 500
)

// Schedule is BusinessHours ready for use.
type Schedule struct {
	zone  *time.Location
	week  [7][]interval // by time.Weekday
	dates map[string][]interval
}

// interval is a part of a day in minutes after its midnight.
type interval struct{ from, to int }

// OpenTime is an uninterrupted time in which operators are there.
type OpenTime struct {
	From Time `json:"from"`
	To   Time `json:"to"`
}

const dayMinutes = 24 * 60

// newSchedule checks business hours. Its errors follow the setting's name.
func newSchedule(h BusinessHours) (*Schedule, error) {
	s := &Schedule{dates: map[string][]interval{}}
	var err error
	if s.zone, err = time.LoadLocation(h.TimeZone); err != nil || h.TimeZone == "" || h.TimeZone == "Local" {
		return nil, checkError(".timezone must be the name of a time zone like Europe/Berlin")
	}
	if len(h.Exceptions) > maxExceptions {
		return nil, checkError(".exceptions has too many dates: at most " + strconv.Itoa(maxExceptions))
	}
	for _, name := range slices.Sorted(maps.Keys(h.Weekly)) {
		day := slices.Index(weekdays, name)
		if day < 0 {
			return nil, checkError(".weekly." + Clip(OneLine(name), MaxName) + " is no day; the days are monday to sunday")
		}
		if s.week[day], err = intervals(".weekly."+name, h.Weekly[name]); err != nil {
			return nil, err
		}
	}
	for _, date := range slices.Sorted(maps.Keys(h.Exceptions)) {
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			return nil, checkError(".exceptions." + Clip(OneLine(date), MaxName) + " is no date; a date is like 2026-12-24")
		}
		if s.dates[date], err = intervals(".exceptions."+date, h.Exceptions[date]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// weekdays are in the order of time.Weekday.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// intervals reads the intervals of one day.
func intervals(path string, texts []string) ([]interval, error) {
	if len(texts) > maxIntervals {
		return nil, checkError(path + " has too many intervals: at most " + strconv.Itoa(maxIntervals))
	}
	list := make([]interval, 0, len(texts))
	for _, text := range texts {
		one, ok := parseInterval(text)
		if !ok {
			return nil, checkError(path + " must be a list of intervals like 09:00-17:00, [] when closed; 00:00-24:00 is the whole day")
		}
		list = append(list, one)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].from < list[j].from })
	for i := 1; i < len(list); i++ {
		if list[i].from < list[i-1].to {
			return nil, checkError(path + " has intervals that overlap")
		}
	}
	return list, nil
}

var isInterval = Pattern(`([01][0-9]|2[0-3]):[0-5][0-9]-(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)`)

func parseInterval(text string) (i interval, ok bool) {
	if !isInterval(text) {
		return i, false
	}
	from, to, _ := strings.Cut(text, "-")
	i = interval{minutes(from), minutes(to)}
	if i.to < i.from {
		i.to += dayMinutes
	}
	return i, i.from != i.to
}

// minutes reads a time of day like 09:30 that is one.
func minutes(clock string) int {
	h, _ := strconv.Atoi(clock[:2])
	m, _ := strconv.Atoi(clock[3:])
	return h*60 + m
}

// horizon is how many days ahead the next opening is looked for.
const horizon = 400

// next returns the open time that contains a moment, or else the first after it.
func (s *Schedule) next(t Time) (OpenTime, bool) {
	year, month, day := t.Std().In(s.zone).Date()
	for ahead := -1; ahead < horizon; ahead++ { // yesterday's may last until today
		date := time.Date(year, month, day+ahead, 0, 0, 0, 0, time.UTC)
		for _, i := range s.on(date) {
			found := OpenTime{s.at(date, i.from), s.at(date, i.to)}
			if found.To > t && found.From < found.To { // clocks may skip the whole of it
				return found, true
			}
		}
	}
	return OpenTime{}, false
}

// Coming lists the open times that are not over yet and start within some days.
func (s *Schedule) Coming(t Time, days int) (list []OpenTime) {
	if s == nil {
		return nil
	}
	year, month, day := t.Std().In(s.zone).Date()
	for ahead := -1; ahead < days; ahead++ {
		date := time.Date(year, month, day+ahead, 0, 0, 0, 0, time.UTC)
		for _, i := range s.on(date) {
			if o := (OpenTime{s.at(date, i.from), s.at(date, i.to)}); o.To > t && o.From < o.To {
				list = append(list, o)
			}
		}
	}
	return list
}

// on returns the intervals that start on a date.
func (s *Schedule) on(date time.Time) []interval {
	if other, found := s.dates[date.Format(time.DateOnly)]; found {
		return other
	}
	return s.week[date.Weekday()]
}

// at returns when clocks show a time of day on a date. Of two such
// moments it is the first; a skipped one is computed with the offset before the
// change (RFC 5545, 3.3.5).
func (s *Schedule) at(date time.Time, minute int) Time {
	shown := date.Add(time.Duration(minute) * time.Minute) // as if clocks showed UTC
	before, after := s.offset(shown.AddDate(0, 0, -1)), s.offset(shown.AddDate(0, 0, 1))
	first, second := shown.Add(-before), shown.Add(-after)
	if s.offset(first) != before && s.offset(second) == after {
		return TimeOf(second)
	}
	return TimeOf(first)
}

// offset is how far clocks are ahead of UTC.
func (s *Schedule) offset(t time.Time) time.Duration {
	_, seconds := t.In(s.zone).Zone()
	return time.Duration(seconds) * time.Second
}

// businessHours checks the setting of that name.
func businessHours(value json.RawMessage) error {
	const must = "an object like {\"timezone\":\"Europe/Berlin\",\"weekly\":{\"monday\":[\"09:00-17:00\"]},\"exceptions\":{\"2026-12-24\":[]}}"
	if err := shape[BusinessHours](must)(value); err != nil {
		return err
	}
	var h BusinessHours
	if json.Unmarshal(value, &h) != nil {
		return checkError("must be " + must)
	}
	_, err := newSchedule(h)
	return err
}

// Schedule returns the current business hours, nil without any.
func (s *Settings) Schedule() *Schedule {
	if raw := s.values["businessHours"]; len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var h BusinessHours
	s.decode("businessHours", &h)
	sched, _ := newSchedule(h) // it was checked when it was set
	return sched
}

// Timetable caches a schedule's last answer until it expires: the
// presence is computed for every session that is listed.
type Timetable struct {
	Schedule    *Schedule
	last        OpenTime
	found       bool
	since, till Time // while the answer is valid
}

// Next is [schedule.next], cached.
func (t *Timetable) Next(at Time) (OpenTime, bool) {
	if t.Schedule == nil {
		return OpenTime{}, false
	}
	if at < t.since || at >= t.till {
		t.last, t.found = t.Schedule.next(at)
		t.since, t.till = at, t.last.To
		if !t.found {
			t.till = at.Add(time.Hour)
		}
	}
	return t.last, t.found
}

// TimeZone returns the time zone of the business hours, UTC without them.
func (s *Settings) TimeZone() *time.Location {
	if hours := s.Schedule(); hours != nil {
		return hours.zone
	}
	return time.UTC
}
