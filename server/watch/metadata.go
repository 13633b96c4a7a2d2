package watch

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// meanings are what Prometheus is told of relay's own metrics; the guide explains them
// at length.
var meanings = map[string]string{
	"relay_http_requests_total":               "Answers by method, route and status.",
	"relay_http_answer_seconds":               "Time until an answer begins, by route.",
	"relay_streams":                           "Open live streams by reader.",
	"relay_deliveries_total":                  "Attempts at deliveries by destination and outcome.",
	"relay_deliveries_waiting":                "Deliveries that wait, by destination.",
	"relay_deliveries_waiting_oldest_seconds": "Age of the oldest delivery that waits, by destination.",
	"relay_inbox_waiting":                     "Updates from platforms that are not handled yet, by bridge.",
	"relay_inbox_waiting_oldest_seconds":      "Age of the oldest update that is not handled yet, by bridge.",
	"relay_bridge_state":                      "1 for the state that a bridge is in.",
	"relay_commit_operations":                 "Operations that share a commit.",
	"relay_commit_duration_seconds":           "Time that a commit takes.",
	"relay_database_size_bytes":               "Size of the database.",
	"relay_database_log_bytes":                "Size of SQLite's write-ahead log.",
	"relay_disk_free_bytes":                   "Free space on the disk of the SQLite file.",
	"relay_disk_size_bytes":                   "Size of the disk of the SQLite file.",
	"relay_ai_tokens_today":                   "Tokens that the AI has used since midnight, UTC.",
	"relay_ai_tokens_limit":                   "Tokens that the AI may use a day; 0 is no limit.",
	"relay_nodes":                             "Relays that share the database, this one included.",
	"relay_lease_held":                        "1 for each lease that this relay holds.",
	"relay_site_waiting":                      "Conversations that wait for an answer, by site.",
	"relay_build_info":                        "1, with relay's version and Go's.",
	"relay_scrape_errors":                     "What could not be asked for in this scrape and was left out.",
}

// annotate writes samples in the text format of Prometheus with a HELP and a TYPE before
// the first of each metric.
func annotate(w io.Writer, samples []byte) {
	kinds := map[string]string{}
	for line := range bytes.Lines(samples) {
		metric, kind := metricOf(string(line), kinds)
		if kinds[metric] == "" {
			kinds[metric] = kind
			// The names of Go's and the process's own say it.
			help := cmp.Or(meanings[metric], strings.ReplaceAll(metric, "_", " ")+".")
			fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", metric, help, metric, kind)
		}
		w.Write(line)
	}
}

// metricOf returns the metric that a sample belongs to, and of which kind it is: those of
// a histogram and of a summary have endings of their own.
func metricOf(sample string, kinds map[string]string) (metric, kind string) {
	name := sample[:max(0, strings.IndexAny(sample, "{ "))]
	if base, is := strings.CutSuffix(name, "_bucket"); is {
		return base, "histogram"
	}
	for _, ending := range []string{"_sum", "_count"} {
		if base, is := strings.CutSuffix(name, ending); is && kinds[base] != "" {
			return base, kinds[base]
		}
	}
	switch {
	case strings.Contains(sample, `quantile="`):
		return name, "summary"
	case strings.HasSuffix(name, "_total"):
		return name, "counter"
	}
	return name, "gauge"
}
