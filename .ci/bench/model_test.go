package bench

import (
	"flag"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// model says what visitors do. Every number is an assumption that a flag changes.
type model struct {
	visitors  float64       // a day
	busiest   float64       // share of the day's visitors in its busiest hour
	views     float64       // of widget.js by a visitor; browsers keep it for five minutes
	opened    float64       // share of visitors who open the panel
	talking   float64       // share of visitors who write
	open      time.Duration // how long the panel stays open without a conversation
	talk      time.Duration // how long a conversation takes
	messages  int           // of a visitor in a conversation
	answers   int           // of an operator
	files     float64       // share of conversations with a file
	fileSize  int
	retention time.Duration
	memory    float64 // of the machine, MiB
	disk      float64 // GiB
	perPerson float64 // conversations at a time
}

var assumed model

func init() {
	flag.Float64Var(&assumed.visitors, "visitors", 1_000_000, "visitors a day")
	flag.Float64Var(&assumed.busiest, "busiest", 0.1, "share of the visitors who come in the busiest hour")
	flag.Float64Var(&assumed.views, "views", 1.5, "downloads of widget.js by a visitor")
	flag.Float64Var(&assumed.opened, "opened", 0.05, "share of the visitors who open the panel")
	flag.Float64Var(&assumed.talking, "talking", 0.02, "share of the visitors who write")
	flag.DurationVar(&assumed.open, "open", 4*time.Minute, "how long the panel stays open without a conversation")
	flag.DurationVar(&assumed.talk, "talk", 10*time.Minute, "how long a conversation takes")
	flag.IntVar(&assumed.messages, "messages", 5, "messages of the visitor in a conversation")
	flag.IntVar(&assumed.answers, "answers", 5, "messages of the operator in a conversation")
	flag.Float64Var(&assumed.files, "files", 0.05, "share of the conversations with a file")
	flag.IntVar(&assumed.fileSize, "file-size", 400<<10, "bytes of a file")
	flag.DurationVar(&assumed.retention, "retention", 365*24*time.Hour, "RETENTION_DAYS")
	flag.Float64Var(&assumed.memory, "memory", 2048, "MiB of memory that the machine has")
	flag.Float64Var(&assumed.disk, "disk", 200, "GiB of disk for the database")
	flag.Float64Var(&assumed.perPerson, "per-person", 4, "conversations that one operator leads at a time")
}

// perSecond is how often a second something happens in the busiest hour that a share
// of the visitors does.
func (m model) perSecond(share float64) float64 { return m.visitors * m.busiest * share / 3600 }

// streams are open at the same time in the busiest hour.
func (m model) streams() float64 {
	return m.perSecond(m.opened-m.talking)*m.open.Seconds() + m.perSecond(m.talking)*m.talk.Seconds()
}

// talks are conversations at the same time.
func (m model) talks() float64 { return m.perSecond(m.talking) * m.talk.Seconds() }

func (m model) messagesASecond() float64 {
	return m.perSecond(m.talking) * float64(m.messages+m.answers)
}

// print prints the assumptions and what follows from them.
func (m model) print(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nASSUMED\t\tflag\n")
	for _, row := range [][2]string{
		{fmt.Sprintf("%.0f visitors a day, %.0f %% of them in the busiest hour", m.visitors, m.busiest*100), "-visitors -busiest"},
		{fmt.Sprintf("%.1f downloads of widget.js by each", m.views), "-views"},
		{fmt.Sprintf("%.1f %% open the panel, for %s", m.opened*100, m.open), "-opened -open"},
		{fmt.Sprintf("%.1f %% write: a conversation of %d messages and %d answers takes %s", m.talking*100, m.messages, m.answers, m.talk), "-talking -messages -answers -talk"},
		{fmt.Sprintf("%.0f %% of the conversations have a file of %d KiB", m.files*100, m.fileSize>>10), "-files -file-size"},
		{fmt.Sprintf("conversations are kept for %.0f days", m.retention.Hours()/24), "-retention"},
		{fmt.Sprintf("a machine with %.0f MiB of memory and %.0f GiB of disk", m.memory, m.disk), "-memory -disk"},
		{fmt.Sprintf("an operator leads %.0f conversations at a time", m.perPerson), "-per-person"},
	} {
		fmt.Fprintf(t, "  %s\t\t%s\n", row[0], row[1])
	}
	t.Flush()
	fmt.Fprintf(out, "\nTHE BUSIEST HOUR\n  %.1f downloads, %.2f openings, %.2f conversations and %.1f messages a second; %.0f streams and %.0f conversations at the same time: %.0f operators\n",
		m.perSecond(m.views), m.perSecond(m.opened), m.perSecond(m.talking), m.messagesASecond(), m.streams(), m.talks(), m.talks()/m.perPerson)
}
