package server_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// TestStatistics: what happened is counted at once, drawn, and comes as tables.
func TestStatistics(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		for i := range 3 {
			id := s.open(fmt.Sprint(i))
			s.say(id, "hello")
			if i < 2 {
				s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi", "operatorName": "=Ada"})
				s.must("POST", "/api/widget/csat", publicKey, object{"sessionId": id, "score": 4 + i, "comment": "=1+1, \"fine\""})
			}
		}
		a := s.must("GET", "/api/admin/statistics", secretKey, nil)
		totals, _ := a.get("totals").(map[string]any)
		for name, want := range map[string]any{"conversations": 3.0, "answered": 2.0, "visitorMessages": 3.0, "operatorMessages": 2.0, "ratings": 2.0, "averageScore": 4.5, "resolutionMedianSeconds": nil} {
			if totals[name] != want {
				t.Errorf("%s is %v, want %v", name, totals[name], want)
			}
		}
		if days := a.get("days").([]any); len(days) != 30 || a.get("waiting").(map[string]any)["count"] != 1.0 || a.get("timezone") != "UTC" {
			t.Errorf("%d days, waiting %v", len(days), a.get("waiting"))
		}
		for name, svg := range a.get("charts").(map[string]any) {
			for d := xml.NewDecoder(strings.NewReader(svg.(string))); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("chart %s: %v", name, err)
				}
			}
		}
		today := time.Now().UTC().Format(time.DateOnly)
		one := s.must("GET", "/api/admin/statistics?from="+today+"&to="+today, secretKey, nil)
		if days := one.get("days").([]any); len(days) != 1 || one.get("totals").(map[string]any)["conversations"] != 3.0 {
			t.Errorf("of today: %s", one.body)
		}
		for table, want := range map[string]string{"days": today + ",3,0,3,2,0,0", "people": "'=Ada,2,2,2,", "channels": "api,2,2,2,", "ratings": `,5,"'=1+1, ""fine""",`, "hours": "0,"} {
			if csv := s.must("GET", "/api/admin/statistics.csv?table="+table, secretKey, nil); !strings.Contains(string(csv.body), want) {
				t.Errorf("%s has no %q:\n%s", table, want, csv.body)
			}
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"businessHours": object{"timezone": "Asia/Kathmandu", "weekly": object{}}})
		if zone := s.must("GET", "/api/admin/statistics", secretKey, nil).get("timezone"); zone != "Asia/Kathmandu" {
			t.Errorf("time zone %v", zone)
		}
		s.refused(s.call("GET", "/api/admin/statistics?from=x", secretKey, nil), 400, "from must be a date")
		s.refused(s.call("GET", "/api/admin/statistics?from=2026-02-02&to=2026-02-01", secretKey, nil), 400, "from must not be after to")
		s.refused(s.call("GET", "/api/admin/statistics.csv?table=x", secretKey, nil), 400, "table must be")
		s.refused(s.call("GET", "/api/admin/statistics.csv?to=x", secretKey, nil), 400, "to must be a date")
	})
}
