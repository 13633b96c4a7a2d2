package db_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// newKey is a key that was made with another one, "" for none.
func newKey(id, person, maker, with string) *chat.APIKey {
	return &chat.APIKey{ID: id, Hash: "hash of " + id, Name: "CRM “" + id + "”", Scopes: chat.KeyScopes{chat.ScopeRead, chat.ScopeErase}, Sites: chat.SiteSet{"", "x"},
		Person: person, Maker: maker, MadeBy: "Ada", MadeWith: with, CreatedAt: 7, ExpiresAt: 90, UsedAt: 8}
}

// liveKeys are the ids of the keys that were not ended.
func liveKeys(t *testing.T, d *db.DB) (ids []string) {
	t.Helper()
	read(t, d, func(r chat.Reader) error {
		list, err := r.APIKeys()
		for i := range list {
			ids = append(ids, list[i].ID)
		}
		return err
	})
	return ids
}

func TestAPIKeys(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		all := newKey("k", "", "", "")
		all.Sites = nil
		apply(t, d, func(tx chat.Tx) error { return firstOf(tx.PutAPIKey(all), tx.PutAPIKey(newKey("l", "", "a", ""))) })
		if err := d.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutAPIKey(newKey("n", "nobody", "", "")) }); err == nil {
			t.Error("a token of nobody is stored")
		}
		read(t, d, func(r chat.Reader) error {
			got, err := r.APIKey("hash of k")
			byID, err2 := r.APIKeyByID("l")
			if !reflect.DeepEqual(got, *all) || !reflect.DeepEqual(byID, *newKey("l", "", "a", "")) {
				t.Errorf("stored are %+v and %+v", got, byID)
			}
			_, unknown := r.APIKey("k")
			want(t, unknown, chat.ErrAPIKeyNotFound)
			return firstOf(err, err2)
		})
		apply(t, d, func(tx chat.Tx) error {
			return firstOf(tx.UsedAPIKey("k", 20), tx.UsedAPIKey("k", 10), tx.UsedAPIKey("none", 10))
		})
		read(t, d, func(r chat.Reader) error {
			if k, err := r.APIKeyByID("k"); k.UsedAt != 20 || err != nil {
				t.Errorf("used at %d: %v", k.UsedAt, err)
			}
			return nil
		})
		apply(t, d, func(tx chat.Tx) error { return tx.EndAPIKey("k", chat.KeyEnd{At: 30, By: "Ada", For: chat.KeyEnded}) })
		want(t, d.Apply(t.Context(), func(tx chat.Tx) error { return tx.EndAPIKey("k", chat.KeyEnd{At: 40}) }), chat.ErrAPIKeyNotFound)
		read(t, d, func(r chat.Reader) error {
			if k, err := r.APIKey("hash of k"); k.EndedAt != 30 || k.Works(29) || err != nil {
				t.Errorf("ended is %+v: %v", k, err)
			}
			return nil
		})
		if got := liveKeys(t, d); !slices.Equal(got, []string{"l"}) {
			t.Errorf("left are %v", got)
		}
		apply(t, d, func(tx chat.Tx) error { return tx.DropAPIKeys(90) }) // k has ended, l has not yet expired
		read(t, d, func(r chat.Reader) error {
			_, gone := r.APIKeyByID("k")
			want(t, gone, chat.ErrAPIKeyNotFound)
			return nil
		})
		apply(t, d, func(tx chat.Tx) error { return tx.DropAPIKeys(91) })
		if got := liveKeys(t, d); got != nil {
			t.Errorf("expired are still %v", got)
		}
	})
}

// What a key has made ends with it, and so on, whatever ended the first.
func TestAPIKeysEndTogether(t *testing.T) {
	for name, one := range map[string]struct {
		end  func(chat.Tx) error
		left []string
	}{
		"one":               {func(tx chat.Tx) error { return tx.EndAPIKey("first", chat.KeyEnd{At: 9}) }, []string{"ada", "adas", "token", "tokens"}},
		"one in the middle": {func(tx chat.Tx) error { return tx.EndAPIKey("second", chat.KeyEnd{At: 9}) }, []string{"ada", "adas", "first", "token", "tokens"}},
		"tokens":            {func(tx chat.Tx) error { return tx.EndTokensOf("a", chat.KeyEnd{At: 9}) }, []string{"ada", "adas", "first", "second", "third"}},
		"by the secret key": {func(tx chat.Tx) error { return tx.EndKeysOf("", chat.KeyEnd{At: 9}) }, []string{"ada", "adas", "token", "tokens"}},
		"by a person":       {func(tx chat.Tx) error { return tx.EndKeysOf("a", chat.KeyEnd{At: 9}) }, []string{"first", "second", "third", "token"}},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				apply(t, d, func(tx chat.Tx) error {
					return firstOf(tx.PutPerson(newPerson("a", "Ada")),
						tx.PutAPIKey(newKey("first", "", "", "")), tx.PutAPIKey(newKey("second", "", "", "first")), tx.PutAPIKey(newKey("third", "", "", "second")),
						tx.PutAPIKey(newKey("token", "a", "a", "")), tx.PutAPIKey(newKey("tokens", "", "a", "token")),
						tx.PutAPIKey(newKey("ada", "", "a", "")), tx.PutAPIKey(newKey("adas", "", "a", "ada")))
				})
				apply(t, d, one.end)
				if got := slices.Sorted(slices.Values(liveKeys(t, d))); !slices.Equal(got, one.left) {
					t.Errorf("left are %v, want %v", got, one.left)
				}
			})
		})
	}
}

// A token goes with its person, and a site from the keys that had it.
func TestAPIKeysLeave(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			return firstOf(tx.PutPerson(newPerson("a", "Ada")), tx.PutAPIKey(newKey("token", "a", "a", "")), tx.PutAPIKey(newKey("ada", "", "a", "")),
				tx.PutSite(&chat.Site{ID: "x", Name: "X", Key: "pk_x", CreatedAt: 1}))
		})
		apply(t, d, func(tx chat.Tx) error { return tx.DeletePerson("a") })
		if got := liveKeys(t, d); !slices.Equal(got, []string{"ada"}) {
			t.Errorf("left are %v", got)
		}
		apply(t, d, func(tx chat.Tx) error { _, err := tx.DropSite("x"); return err })
		read(t, d, func(r chat.Reader) error {
			if k, err := r.APIKeyByID("ada"); !reflect.DeepEqual(k.Sites, chat.SiteSet{""}) || err != nil {
				t.Errorf("the key has %v: %v", k.Sites, err)
			}
			return nil
		})
	})
}
