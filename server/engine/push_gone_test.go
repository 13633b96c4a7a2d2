package engine_test

import (
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// TestLastDeviceGoesWithItsSignIn: the last notified browser went with its sign-in, and a
// clean-up later nothing is written for notifications any more.
func TestLastDeviceGoesWithItsSignIn(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		team := team.New(store, h, nil, quiet)
		ada, err := team.People.Add(t.Context(), chat.Person{Name: "Ada", Email: "ada@example.com", Role: chat.RoleOperator})
		if err != nil {
			t.Fatal(err)
		}
		_, in, err := team.SignIns.SignIn(t.Context(), ada.ID, true, "test", "192.0.2.1")
		if err == nil {
			_, err = team.Devices.Add(t.Context(), chat.PushDevice{Person: ada.ID, SignIn: in.ID, Endpoint: "https://push.example.com/x", Auth: "AAAAAAAAAAAAAAAAAAAAAA", Label: "Phone",
				P256dh: "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, ended := range []bool{false, true} {
			if ended {
				if err := team.SignIns.End(t.Context(), in.ID); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.Sweep(t.Context(), chat.Now()); err != nil {
				t.Fatal(err)
			}
			if h.Settings().Pushes() == ended {
				t.Errorf("sign-in ended %t: there are devices to notify: %t", ended, !ended)
			}
		}
	})
}
