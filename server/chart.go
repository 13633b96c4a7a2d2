package server

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/statistics"
)

// The measures of a chart, in its own units. Colours come from the page's style sheet
// by class, so that a chart fits light, dark and forced colours.
const (
	chartWidth  = 720
	chartHeight = 200
	chartLeft   = 44
	chartTop    = 12
	chartBottom = 24
)

// chart is an SVG being drawn.
type chart struct{ strings.Builder }

// begin opens a chart with a text for screen readers, which get a table beside it.
func (c *chart) begin(height int, label string) {
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`,
		chartWidth, height, html.EscapeString(label))
}

func (c *chart) end() string {
	c.WriteString(`</svg>`)
	return c.String()
}

// rect draws a rectangle that shows a text when pointed at.
func (c *chart) rect(class string, x, y, w, h float64, title string) {
	fmt.Fprintf(c, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="2"><title>%s</title></rect>`,
		class, unit(x), unit(y), unit(w), unit(h), html.EscapeString(title))
}

// text writes beside the drawing; anchor is start, middle or end.
func (c *chart) text(x, y float64, anchor, text string) {
	fmt.Fprintf(c, `<text x="%s" y="%s" text-anchor="%s">%s</text>`, unit(x), unit(y), anchor, html.EscapeString(text))
}

func unit(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// series is one part of each bar of a bar chart.
type series struct {
	class, name string
	of          func(i int) int
}

// bars draws n stacked bars with an axis.
func bars(label string, n int, name func(i int) string, list ...series) string {
	var c chart
	c.begin(chartHeight, label)
	top := 1
	for i := range n {
		sum := 0
		for _, s := range list {
			sum += s.of(i)
		}
		top = max(top, sum)
	}
	top = roundUp(top)
	c.axis(top)
	width := float64(chartWidth-chartLeft) / float64(n)
	floor := float64(chartHeight - chartBottom)
	for i := range n {
		x, y := chartLeft+float64(i)*width, floor
		for _, s := range list {
			v := s.of(i)
			if v == 0 {
				continue
			}
			h := float64(v) / float64(top) * (floor - chartTop)
			y -= h
			c.rect("bar "+s.class, x+width*0.1, y, width*0.8, h, fmt.Sprintf("%s: %d %s", name(i), v, s.name))
		}
	}
	every := (n + 7) / 8
	for i := 0; i < n; i += every {
		c.text(chartLeft+(float64(i)+0.5)*width, chartHeight-6, "middle", name(i))
	}
	return c.end()
}

// axis draws lines at nothing, half and all of the highest value.
func (c *chart) axis(top int) {
	for _, part := range []float64{0, 0.5, 1} {
		y := float64(chartHeight-chartBottom) - part*float64(chartHeight-chartBottom-chartTop)
		fmt.Fprintf(c, `<line class="grid" x1="%d" x2="%d" y1="%s" y2="%s"/>`, chartLeft, chartWidth, unit(y), unit(y))
		c.text(chartLeft-6, y+4, "end", strconv.FormatFloat(part*float64(top), 'f', -1, 64))
	}
}

// roundUp returns the next number that an axis can be divided by: 2, 4, 10, 20, 40, …
func roundUp(n int) int {
	for step := 1; ; step *= 10 {
		for _, first := range []int{2, 4, 10} {
			if n <= first*step {
				return first * step
			}
		}
	}
}

// weekdayNames are in the order of [chat.Statistics].Week.
var weekdayNames = [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// week draws how many messages came in each hour of the week: the more, the darker.
func week(label string, count [7][24]int) string {
	const row = 20
	var c chart
	c.begin(7*row+chartBottom, label)
	top := 1
	for _, day := range count {
		for _, n := range day {
			top = max(top, n)
		}
	}
	width := float64(chartWidth-chartLeft) / 24
	for d, day := range count {
		c.text(chartLeft-6, float64(d*row)+15, "end", weekdayNames[d])
		for h, n := range day {
			c.rect("heat heat"+strconv.Itoa((n*4+top-1)/top), chartLeft+float64(h)*width+1, float64(d*row)+1, width-2, row-2,
				fmt.Sprintf("%s %02d:00: %d", weekdayNames[d], h, n))
		}
	}
	for h := 0; h < 24; h += 3 {
		c.text(chartLeft+(float64(h)+0.5)*width, 7*row+16, "middle", fmt.Sprintf("%02d", h))
	}
	return c.end()
}

// charts draws statistics, by the charts' names.
func charts(s *statistics.Statistics) map[string]string {
	day := func(i int) string { return shortDate(s.Days[i].Date) }
	hour := func(i int) string { return fmt.Sprintf("%02d", i) }
	return map[string]string{
		"conversations": bars(fmt.Sprintf("Conversations by day: %d in all", s.Totals.Conversations), len(s.Days), day,
			series{"conversations", "conversations", func(i int) int { return s.Days[i].Conversations }}),
		"messages": bars(fmt.Sprintf("Messages by day: %d of visitors, %d of the team, %d of the AI",
			s.Totals.VisitorMessages, s.Totals.OperatorMessages, s.Totals.AIMessages), len(s.Days), day,
			series{"visitor", "of visitors", func(i int) int { return s.Days[i].VisitorMessages }},
			series{"operator", "of the team", func(i int) int { return s.Days[i].OperatorMessages }},
			series{"ai", "of the AI", func(i int) int { return s.Days[i].AIMessages }}),
		"hours": bars("Messages by hour of the day", len(s.Hours), hour,
			series{"visitor", "messages", func(i int) int { return s.Hours[i].Messages }}),
		"week": week("Messages of visitors by weekday and hour", s.Week),
	}
}

// shortDate renders a date like 22 Nov.
func shortDate(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 Jan")
}
