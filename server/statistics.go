package server

import (
	"context"
	"encoding/csv"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/web"
)

// statisticsAPI is about the numbers.
type statisticsAPI struct {
	counter *statistics.Counter
	sites   func() *chat.Sites
}

// statistics answers GET /api/admin/statistics.
func (s *statisticsAPI) statistics(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	stats, err := s.readStatistics(w, r, by)
	if err != nil {
		return nil, err
	}
	return struct {
		statistics.Statistics
		Charts map[string]string `json:"charts"`
	}{stats, charts(&stats)}, nil
}

// countingTime bounds how long statistics may take to count.
const countingTime = 2 * time.Minute

// countingRest is what is left of it to answer.
const countingRest = 10 * time.Second

func (s *statisticsAPI) readStatistics(w http.ResponseWriter, r *http.Request, by chat.Author) (statistics.Statistics, error) {
	sites, err := web.SitesAsked(r, by, s.sites())
	if err != nil {
		return statistics.Statistics{}, err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(countingTime)) // HTTP/1.1 and 2 have deadlines
	ctx, cancel := context.WithTimeout(r.Context(), countingTime-countingRest)
	defer cancel()
	form := r.URL.Query()
	stats, err := s.counter.Statistics(ctx, statistics.StatRange{From: form.Get("from"), To: form.Get("to"), Sites: sites})
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return stats, chat.Errorf(chat.Invalid, "Counting took too long. Choose a shorter range")
	}
	return stats, err
}

// table is a part of the statistics as CSV.
type table func(*statistics.Statistics) [][]string

// tables are the values of ?table=.
var tables = map[string]table{"": dayTable, "days": dayTable, "hours": hourTable, "people": peopleTable, "channels": channelTable, "ratings": ratingTable}

// statisticsCSV answers GET /api/admin/statistics.csv, for spreadsheets.
func (s *statisticsAPI) statisticsCSV(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	name := r.URL.Query().Get("table")
	rows, known := tables[name]
	if !known {
		return nil, web.BadRequest("table must be days, hours, people, channels or ratings")
	}
	stats, err := s.readStatistics(w, r, by)
	if err != nil {
		return nil, err
	}
	web.Attachment(w, "text/csv; charset=utf-8", "relay-"+stats.From+"-"+stats.To+".csv")
	_ = csv.NewWriter(w).WriteAll(rows(&stats)) // the client may be gone
	return web.Written{}, nil
}

func dayTable(s *statistics.Statistics) [][]string {
	rows := [][]string{{"date", "conversations", "closed", "visitorMessages", "operatorMessages", "aiMessages", "firstResponseMedianSeconds", "ratings", "averageScore"}}
	for i := range s.Days {
		d := &s.Days[i]
		rows = append(rows, []string{d.Date, strconv.Itoa(d.Conversations), strconv.Itoa(d.Closed), strconv.Itoa(d.VisitorMessages), strconv.Itoa(d.OperatorMessages),
			strconv.Itoa(d.AIMessages), decimal(d.FirstResponseMedian), strconv.Itoa(d.Ratings), decimal(d.Score)})
	}
	return rows
}

func hourTable(s *statistics.Statistics) [][]string {
	rows := [][]string{{"hour", "conversations", "messages"}}
	for _, h := range s.Hours {
		rows = append(rows, []string{strconv.Itoa(h.Hour), strconv.Itoa(h.Conversations), strconv.Itoa(h.Messages)})
	}
	return rows
}

func peopleTable(s *statistics.Statistics) [][]string  { return groupTable("person", s.People) }
func channelTable(s *statistics.Statistics) [][]string { return groupTable("channel", s.Channels) }

func groupTable(name string, list []statistics.StatGroup) [][]string {
	rows := [][]string{{name, "messages", "conversations", "firstResponses", "firstResponseMedianSeconds", "firstResponseP90Seconds"}}
	for i := range list {
		g := &list[i]
		rows = append(rows, []string{cell(g.Name), strconv.Itoa(g.Messages), strconv.Itoa(g.Conversations), strconv.Itoa(g.FirstResponses),
			decimal(g.FirstResponseMedian), decimal(g.FirstResponseP90)})
	}
	return rows
}

func ratingTable(s *statistics.Statistics) [][]string {
	rows := [][]string{{"at", "score", "comment", "sessionId"}}
	for _, c := range s.Ratings.Comments {
		rows = append(rows, []string{c.At.String(), strconv.Itoa(c.Score), cell(c.Comment), cell(c.SessionID)})
	}
	return rows
}

// cell keeps spreadsheets from running what visitors wrote as a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// decimal renders a number, nothing as nothing.
func decimal(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
