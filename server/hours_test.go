package server_test

import (
	"bufio"
	"strings"
	"testing"
	"time"
)

// Business hours make operators online, and tell visitors when somebody is back.
func TestBusinessHours(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		set := func(hours any) answer {
			return s.must("PATCH", "/api/admin/settings", secretKey, object{"businessHours": hours})
		}
		a := set(object{"timezone": "Europe/Berlin", "weekly": object{}, "exceptions": object{soon(): []string{"09:00-17:00"}}})
		if !strings.Contains(string(a.body), `"timezone":"Europe/Berlin"`) {
			t.Errorf("the settings are %s", a.body)
		}
		in := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		if in.get("operatorOnline") != false || in.text("backAt") == "" {
			t.Errorf("init while closed: %s", in.body)
		}
		stream := bufio.NewScanner(s.body("/api/widget/stream?sessionId="+in.text("sessionId"), publicKey))
		if f, err := readFrame(stream); err != nil || !strings.Contains(f.data, `"backAt":"`+in.text("backAt")) {
			t.Errorf("the stream begins with %v, %v", f, err)
		}
		set(object{"timezone": "UTC", "weekly": everyDay("00:00-24:00")})
		if f, err := readFrame(stream); err != nil || f.event != "operator_status" || !strings.Contains(f.data, `"online":true`) {
			t.Errorf("the hours began: %v, %v", f, err)
		}
		if p := s.presence(); p.get("online") != true || p.get("mode") != "automatic" || p.text("hoursEnd") == "" {
			t.Errorf("during the hours: %s", p.body)
		}
		s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"businessHours": object{"timezone": "Mars/Base"}}), 400,
			"businessHours.timezone must be the name of a time zone like Europe/Berlin")
		set(nil)
		if p := s.presence(); p.get("online") != false || p.get("backAt") != nil {
			t.Errorf("without hours: %s", p.body)
		}
	})
}

func soon() string { return time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly) }

func everyDay(hours string) object {
	week := object{}
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		week[day] = []string{hours}
	}
	return week
}
