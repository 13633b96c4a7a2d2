package server_test

import (
	"fmt"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestSavedViews: a person's views stay in their order, and are nobody else's.
func TestSavedViews(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada, bob := s.cookieFor(s.personNamed("Ada", chat.RoleAdministrator).ID), s.cookieFor(s.personNamed("Bob", chat.RoleOperator).ID)
		save := func(views ...object) answer {
			return s.call("PATCH", "/api/admin/me", "", object{"preferences": object{"views": views}}, "Cookie", bob)
		}
		names := func(a answer) (list []string) {
			views, _ := a.get("preferences.views").([]any)
			for _, v := range views {
				list = append(list, fmt.Sprint(v.(map[string]any)["name"], "/", v.(map[string]any)["tag"]))
			}
			return list
		}
		own := func(cookie string) string {
			return fmt.Sprint(names(s.must("GET", "/api/admin/me", "", nil, "Cookie", cookie)))
		}
		save(object{"name": " VIPs ", "status": "open", "tag": "#VIP"}, object{"name": "Mine", "status": "waiting", "assignee": "me"})
		if got := own(bob); got != "[VIPs/vip Mine/<nil>]" {
			t.Errorf("the views are %s", got)
		}
		if got := own(ada); got != "[]" {
			t.Errorf("a colleague has %s", got)
		}
		s.must("PATCH", "/api/admin/me", "", object{"preferences": object{"sound": false}}, "Cookie", bob)
		save(object{"name": "Mine", "status": "waiting", "assignee": "me"}, object{"name": "VIPs", "status": "open", "tag": "vip"})
		if got := own(bob); got != "[Mine/<nil> VIPs/vip]" {
			t.Errorf("in another order the views are %s", got)
		}
		many := make([]object, 21)
		for i := range many {
			many[i] = object{"name": fmt.Sprint(i), "status": "open"}
		}
		s.refused(save(many...), 400, "preferences.views must be at most 20")
		s.refused(save(object{"name": " ", "status": "open"}), 400, "preferences.views.0.name must be 1 to 40 characters")
		s.refused(save(object{"name": "x", "status": "new"}), 400, "preferences.views.0.status must be")
		s.refused(save(object{"name": "x", "status": "open", "assignee": "Ada"}), 400, "preferences.views.0.assignee must be")
		s.refused(save(object{"name": "x", "status": "open"}, object{"name": "X", "status": "open"}), 400, "preferences.views.1.name is that of another view")
		s.refused(save(object{"name": "x", "status": "open", "tag": "<b>"}), 400, "preferences.views.0.tag: a tag must be")
		save([]object{}...)
		if got := own(bob); got != "[]" {
			t.Errorf("all are taken away, and left are %s", got)
		}
	})
}
