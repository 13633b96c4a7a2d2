package chat

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// berlin is a shop with a lunch break, a night shift that starts on Saturday, and
// two exceptions. Clocks there change on 29 March and 25 October 2026.
const berlin = `{"timezone":"Europe/Berlin",
	"weekly":{"monday":["09:00-12:00","13:00-17:00"],"tuesday":["09:00-17:00"],"saturday":["22:00-03:30"],"sunday":["10:00-11:00"]},
	"exceptions":{"2026-03-23":[],"2026-03-24":["14:00-16:00"]}}`

func scheduleOf(t *testing.T, text string) *Schedule {
	t.Helper()
	var h BusinessHours
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatal(err)
	}
	s, err := newSchedule(h)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOpenTimes: the expected times are UTC; in Berlin it is one hour later in
// winter, two in summer.
func TestOpenTimes(t *testing.T) {
	const (
		gap     = `{"timezone":"Europe/Berlin","weekly":{"sunday":["02:15-02:45"]}}`
		partial = `{"timezone":"Europe/Berlin","weekly":{"sunday":["02:30-03:00","03:00-04:00"]}}`
		always  = `{"timezone":"America/New_York","weekly":{"monday":["00:00-24:00"],"tuesday":["00:00-24:00"]}}`
		half    = `{"timezone":"Asia/Kathmandu","weekly":{"monday":["09:00-10:00"]}}`
		never   = `{"timezone":"UTC","weekly":{}}`
		island  = `{"timezone":"Pacific/Apia","weekly":{"friday":["09:00-10:00"]}}`
	)
	for _, c := range []struct{ name, hours, at, from, to string }{
		{"before the morning", berlin, "2026-03-16T07:59:59Z", "2026-03-16T08:00:00Z", "2026-03-16T11:00:00Z"},
		{"at the start", berlin, "2026-03-16T08:00:00Z", "2026-03-16T08:00:00Z", "2026-03-16T11:00:00Z"},
		{"at the end", berlin, "2026-03-16T11:00:00Z", "2026-03-16T12:00:00Z", "2026-03-16T16:00:00Z"},
		{"closed by an exception", berlin, "2026-03-23T08:30:00Z", "2026-03-24T13:00:00Z", "2026-03-24T15:00:00Z"},
		{"after an exception", berlin, "2026-03-24T15:00:00Z", "2026-03-28T21:00:00Z", "2026-03-29T01:30:00Z"},
		{"overnight, over the lost hour", berlin, "2026-03-29T01:29:59Z", "2026-03-28T21:00:00Z", "2026-03-29T01:30:00Z"},
		{"in summer", berlin, "2026-03-29T01:30:00Z", "2026-03-29T08:00:00Z", "2026-03-29T09:00:00Z"},
		{"overnight, over the hour that comes twice", berlin, "2026-10-25T00:30:00Z", "2026-10-24T20:00:00Z", "2026-10-25T02:30:00Z"},
		{"Monday after the change to winter", berlin, "2026-10-25T10:00:00Z", "2026-10-26T08:00:00Z", "2026-10-26T11:00:00Z"},
		{"wholly in the lost hour: an hour later", gap, "2026-03-29T00:00:00Z", "2026-03-29T01:15:00Z", "2026-03-29T01:45:00Z"},
		{"in the hour that comes twice: the first", gap, "2026-10-24T12:00:00Z", "2026-10-25T00:15:00Z", "2026-10-25T00:45:00Z"},
		{"skipped by the lost hour", partial, "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
		{"a whole day of 23 hours", strings.Replace(always, "monday", "sunday", 1), "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"},
		{"two whole days", always, "2026-06-02T03:59:00Z", "2026-06-01T04:00:00Z", "2026-06-02T04:00:00Z"},
		{"an odd offset", half, "2026-06-01T00:00:00Z", "2026-06-01T03:15:00Z", "2026-06-01T04:15:00Z"},
		{"a date that clocks skipped", island, "2011-12-30T00:00:00Z", "2011-12-30T19:00:00Z", "2011-12-30T20:00:00Z"},
		{"never", never, "2026-06-01T00:00:00Z", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, _ := time.Parse(time.RFC3339, c.at)
			open, ok := scheduleOf(t, c.hours).next(TimeOf(at))
			if !ok {
				if c.from != "" {
					t.Fatal("found nothing")
				}
				return
			}
			if from, to := open.From.Std().Format(time.RFC3339), open.To.Std().Format(time.RFC3339); from != c.from || to != c.to {
				t.Errorf("open from %s to %s, want %s to %s", from, to, c.from, c.to)
			}
		})
	}
}

// A timetable answers like its schedule, however the clock goes.
func TestTimetable(t *testing.T) {
	s := scheduleOf(t, berlin)
	table := Timetable{Schedule: s}
	for _, text := range []string{"2026-03-16T07:00:00Z", "2026-03-16T08:00:00Z", "2026-03-16T10:59:59Z", "2026-03-16T11:00:00Z", "2026-03-15T11:00:00Z", "2026-03-22T09:30:00Z"} {
		std, _ := time.Parse(time.RFC3339, text)
		want, _ := s.next(TimeOf(std))
		if got, ok := table.Next(TimeOf(std)); !ok || got != want {
			t.Errorf("%s: open from %s to %s, want from %s to %s", text, got.From, got.To, want.From, want.To)
		}
	}
}

// TestInvalidBusinessHours: invalid hours are refused in words that say what is valid.
func TestInvalidBusinessHours(t *testing.T) {
	long := `["` + strings.Repeat(`00:00-00:01","`, 10) + `00:00-00:01"]`
	for value, want := range map[string]string{
		`"9 to 5"`:                     `businessHours must be an object like {"timezone":"Europe/Berlin"`,
		`{}`:                           "businessHours.timezone must be the name of a time zone like Europe/Berlin",
		`{"timezone":"Mars/Base"}`:     "businessHours.timezone must be",
		`{"timezone":"Local"}`:         "businessHours.timezone must be",
		`{"timezone":"../etc/passwd"}`: "businessHours.timezone must be",
		`{"timezone":7}`:               "businessHours.timezone must be a string",
		`{"timezone":"UTC","days":{}}`: "businessHours must be an object like",
		`{"timezone":"UTC","weekly":{"moonday":[]}}`:                           "businessHours.weekly.moonday is no day; the days are monday to sunday",
		`{"timezone":"UTC","weekly":{"monday":["9-17"]}}`:                      "businessHours.weekly.monday must be a list of intervals like 09:00-17:00",
		`{"timezone":"UTC","weekly":{"monday":["09:00-09:00"]}}`:               "businessHours.weekly.monday must be a list of intervals",
		`{"timezone":"UTC","weekly":{"monday":["24:00-25:00"]}}`:               "businessHours.weekly.monday must be a list of intervals",
		`{"timezone":"UTC","weekly":{"monday":["09:00-17:00","16:00-18:00"]}}`: "businessHours.weekly.monday has intervals that overlap",
		`{"timezone":"UTC","weekly":{"monday":` + long + `}}`:                  "businessHours.weekly.monday has too many intervals",
		`{"timezone":"UTC","exceptions":{"24.12.2026":[]}}`:                    "businessHours.exceptions.24.12.2026 is no date; a date is like 2026-12-24",
		`{"timezone":"UTC","exceptions":{"2026-02-30":[]}}`:                    "businessHours.exceptions.2026-02-30 is no date",
		`{"timezone":"UTC","exceptions":{"2026-12-24":["09:00-10:00","x"]}}`:   "businessHours.exceptions.2026-12-24 must be a list of intervals",
	} {
		_, err := SettingsOf(SettingList(), nil, nil).Changes(map[string]json.RawMessage{"businessHours": json.RawMessage(value)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
	if _, err := SettingsOf(SettingList(), nil, nil).Changes(map[string]json.RawMessage{"businessHours": json.RawMessage(berlin)}); err != nil {
		t.Error(err)
	}
}
