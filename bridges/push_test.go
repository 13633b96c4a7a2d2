package bridges_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/push/pushtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// bell is an engine with notifications, and a push service with one browser.
type bell struct {
	*engine.Engine
	t       *testing.T
	team    *team.Team
	push    *bridges.Push
	service *pushtest.Service
	visitor chat.Author
}

func newBell(t *testing.T, store *db.DB) *bell {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: log, Targets: bridges.Targets(nil)})
	if err != nil {
		t.Fatal(err)
	}
	b := &bell{Engine: e, t: t, team: team.New(store, e, nil, log), service: pushtest.New(), visitor: chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}}
	t.Cleanup(b.service.Close)
	b.push = bridges.NewPush(e, b.team.Devices, bridges.PushOptions{Contact: "https://chat.example.com", Transport: b.service.Client().Transport, Log: log})
	if _, b.service.Key, err = b.team.Devices.Keys(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bell) subscribe(content bool) chat.PushDevice {
	b.t.Helper()
	if _, err := b.team.People.ChangeKeyPreferences(b.t.Context(), func(p *chat.Preferences) { p.PushContent = content }); err != nil {
		b.t.Fatal(err)
	}
	d := chat.PushDevice{Person: "Ada", Label: "Phone"}
	d.Endpoint, d.P256dh, d.Auth = b.service.Subscription()
	d, err := b.team.Devices.Add(b.t.Context(), d)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

// say lets a visitor write, and returns the deliveries to devices.
func (b *bell) say(sessionID, content string) []chat.Delivery {
	b.t.Helper()
	_, err := b.Send(b.t.Context(), b.visitor, engine.Post{SessionID: sessionID, Content: content})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.lane(chat.PushSink, sessionID)
}

// lane lists what waits for a sink.
func (b *bell) lane(sink, sessionID string) (lane []chat.Delivery) {
	b.t.Helper()
	err := b.Store.Read(b.t.Context(), func(r chat.Reader) (err error) {
		lane, err = r.Lane(sink, sessionID, 0)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return lane
}

func (b *bell) open() string {
	b.t.Helper()
	v, err := b.Init(b.t.Context(), engine.Visit{VisitorID: chat.NewID()})
	if err != nil {
		b.t.Fatal(err)
	}
	return v.Session.ID
}

func (b *bell) notes(want int) []pushtest.Note {
	b.t.Helper()
	notes, problems := b.service.Notes()
	if len(problems) > 0 || len(notes) != want {
		b.t.Fatalf("%d notifications, want %d: %+v; problems: %q", len(notes), want, notes, problems)
	}
	return notes
}

// TestPush: a visitor's message reaches a browser that subscribed, encrypted and signed,
// and without one nothing is even written.
func TestPush(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		b := newBell(t, d)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.push.Run(ctx) }()
		id := b.open()
		if lane := b.say(id, "nobody has subscribed"); len(lane) > 0 {
			t.Errorf("written for nobody: %+v", lane)
		}
		device := b.subscribe(false)
		if lane := b.say(id, "a secret"); len(lane) != 1 || lane[0].NextAt.Sub(lane[0].CreatedAt) != chat.PushDelay {
			t.Errorf("waiting are %+v", lane)
		}
		for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(10 * time.Millisecond) {
			if notes, problems := b.service.Notes(); len(notes)+len(problems) > 0 {
				break
			}
		}
		note := b.notes(1)[0]
		if strings.Contains(note.Text, "secret") || !strings.Contains(note.Text, id) || note.Urgency != "high" || note.Topic == "" || note.TTL == 0 {
			t.Errorf("the notification is %+v", note)
		}
		if err := b.team.Devices.Remove(t.Context(), "Grace", device.ID); !errors.Is(err, chat.ErrDeviceNotFound) {
			t.Errorf("somebody else's device is removed: %v", err)
		}
		if err := b.team.Devices.Remove(t.Context(), "Ada", device.ID); err != nil {
			t.Fatal(err)
		}
		if b.Settings().Pushes() {
			t.Error("without devices there is still a destination")
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestPushContent: who wants it gets the visitor's name and words, cut; messages that
// waited together are one notification.
func TestPushContent(t *testing.T) {
	b := newBell(t, dbtest.Memory(t))
	b.subscribe(true)
	id := b.open()
	if _, err := b.Identify(t.Context(), b.visitor, id, map[string]any{"name": "Ann"}, ""); err != nil {
		t.Fatal(err)
	}
	b.say(id, "one")
	lane := b.say(id, "two "+strings.Repeat("ä", 3000))
	if done, err := b.push.Deliver(t.Context(), lane); done != 2 || err != nil {
		t.Fatal(done, err)
	}
	var got struct{ Title, Body, SessionID string }
	if err := json.Unmarshal([]byte(b.notes(1)[0].Text), &got); err != nil || got.Title != "Ann" || !strings.HasPrefix(got.Body, "two ää") || len([]rune(got.Body)) > 301 || got.SessionID != id {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPushQuiet: nobody is notified of what somebody has answered or has on the screen.
func TestPushQuiet(t *testing.T) {
	b := newBell(t, dbtest.Memory(t))
	b.subscribe(false)
	id := b.open()
	lane := b.say(id, "answered soon")
	b.View("a sign-in", "Ada", id)
	if done, err := b.push.Deliver(t.Context(), lane); done != 1 || err != nil {
		t.Fatal(done, err)
	}
	b.View("a sign-in", "Ada", "")
	if _, err := b.Send(t.Context(), chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Ada"}, engine.Post{SessionID: id, Content: "here"}); err != nil {
		t.Fatal(err)
	}
	if done, err := b.push.Deliver(t.Context(), lane); done != 1 || err != nil {
		t.Fatal(done, err)
	}
	b.notes(0)
	lane = b.say(id, "and again")
	if _, err := b.push.Deliver(t.Context(), lane[len(lane)-1:]); err != nil {
		t.Fatal(err)
	}
	b.notes(1)
}

// TestPushAnswers: what a push service answers decides what becomes of a notification
// and of the device. A device that got it does not get it again.
func TestPushAnswers(t *testing.T) {
	for _, tt := range []struct {
		status int
		after  string
		pause  time.Duration
		kind   error
		kept   bool
	}{
		{201, "", 0, nil, true}, {404, "", 0, nil, false}, {410, "", 0, nil, false},
		{429, "120", 2 * time.Minute, nil, true}, {429, "", time.Minute, nil, true}, {429, "99999999", time.Hour, nil, true},
		{403, "", 0, nil, true}, {413, "", 0, nil, true}, {307, "", 0, chat.ErrPassed, true}, {503, "", 0, chat.ErrPassed, true},
	} {
		b := newBell(t, dbtest.Memory(t))
		b.subscribe(false)
		lane := b.say(b.open(), "hello")
		b.service.Answer(tt.status, tt.after)
		done, err := b.push.Deliver(t.Context(), lane)
		var pause *chat.RetryAfter
		final := tt.status == 201 || tt.status >= 400 && tt.status < 429
		switch {
		case final != (done == 1 && err == nil):
			t.Errorf("%d: %d done, %v", tt.status, done, err)
		case tt.kind != nil && !errors.Is(err, tt.kind):
			t.Errorf("%d: %v is not %v", tt.status, err, tt.kind)
		case tt.pause > 0 && (!errors.As(err, &pause) || pause.After != tt.pause):
			t.Errorf("%d: %v", tt.status, err)
		case err != nil && strings.Contains(err.Error(), b.service.URL):
			t.Errorf("%d: the device's address is in the error: %v", tt.status, err)
		}
		list, failed := b.team.Devices.List(t.Context(), "Ada")
		if failed != nil || len(list) == 1 != tt.kept {
			t.Errorf("%d: devices %+v, %v", tt.status, list, failed)
		}
		b.service.Answer(http.StatusCreated, "")
		_, _ = b.push.Deliver(t.Context(), lane)
		want := 1
		if tt.status != 201 && final || tt.pause > 0 {
			want = 0
		}
		b.notes(want)
	}
}

// TestPushOneDead: a device that is refused for good, or fails for long, neither stops
// the retry at another nor leaves failed deliveries.
func TestPushOneDead(t *testing.T) {
	for _, status := range []int{403, 404, 410, 503} {
		b := newBell(t, dbtest.Memory(t))
		alive := b.subscribe(false)
		dead := alive
		dead.Endpoint += "/dead"
		if _, err := b.team.Devices.Add(t.Context(), dead); err != nil {
			t.Fatal(err)
		}
		answers := map[bool]int{false: 503, true: status} // by whether it is the dead one
		b.push = bridges.NewPush(b.Engine, b.team.Devices, bridges.PushOptions{Contact: "https://chat.example.com", Log: slog.New(slog.DiscardHandler),
			Transport: transport(func(r *http.Request) (*http.Response, error) {
				code := answers[strings.HasSuffix(r.URL.Path, "/dead")]
				return &http.Response{StatusCode: code, Body: http.NoBody, Request: r}, nil
			})})
		lane := b.say(b.open(), "hello")
		if _, err := b.push.Deliver(t.Context(), lane); !errors.Is(err, chat.ErrPassed) || errors.Is(err, chat.ErrPermanent) {
			t.Errorf("%d: the working device is not tried again: %v", status, err)
		}
		answers[false] = 201
		lane[0].Attempts = b.push.Policy().Attempts - 1
		if done, err := b.push.Deliver(t.Context(), lane); done != 1 || err != nil {
			t.Errorf("%d: the other device leaves a failure: %d done, %v", status, done, err)
		}
	}
}

// transport answers requests by itself.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPushGuard: relay connects to no private network, whatever a device says.
func TestPushGuard(t *testing.T) {
	b := newBell(t, dbtest.Memory(t))
	d := b.subscribe(false)
	guarded := bridges.NewPush(b.Engine, b.team.Devices, bridges.PushOptions{Contact: "https://chat.example.com", Log: slog.New(slog.DiscardHandler)})
	if err := guarded.Test(t.Context(), &d); !errors.Is(err, chat.ErrPermanent) || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("the dial guard: %v", err)
	}
	for _, address := range []string{"https://127.0.0.1/x", "https://169.254.169.254/", "https://[::1]/", "https://localhost/x"} {
		if guarded.CheckAddress(address) == nil {
			t.Errorf("%s is accepted", address)
		}
	}
	b.notes(0)
}

// TestPushDevices: what no push service would take is refused, and one person has so
// many devices.
func TestPushDevices(t *testing.T) {
	b := newBell(t, dbtest.Memory(t))
	good := b.subscribe(false)
	for name, spoil := range map[string]func(*chat.PushDevice){
		"http": func(d *chat.PushDevice) { d.Endpoint = "http://push.example.com/x" }, "no address": func(d *chat.PushDevice) { d.Endpoint = "x" },
		"a user": func(d *chat.PushDevice) { d.Endpoint = "https://a:b@push.example.com/" }, "long": func(d *chat.PushDevice) { d.Endpoint += strings.Repeat("x", 2048) },
		"no point": func(d *chat.PushDevice) { d.P256dh = strings.Repeat("B", 87) }, "no key": func(d *chat.PushDevice) { d.P256dh = "" },
		"no secret": func(d *chat.PushDevice) { d.Auth = "xx" },
	} {
		d := good
		spoil(&d)
		var refused *chat.Error
		if _, err := b.team.Devices.Add(t.Context(), d); !errors.As(err, &refused) || refused.Kind != chat.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	again, err := b.team.Devices.Add(t.Context(), chat.PushDevice{Person: "Grace", Endpoint: good.Endpoint, P256dh: good.P256dh, Auth: good.Auth})
	if list, _ := b.team.Devices.List(t.Context(), "Ada"); err != nil || again.ID != good.ID || len(list) != 0 {
		t.Errorf("the browser's next user: %+v, %v; Ada still has %v", again, err, list)
	}
	for i := range 20 {
		d := good
		d.Endpoint += strings.Repeat("x", i+1)
		if _, err = b.team.Devices.Add(t.Context(), d); err != nil {
			t.Fatal(i, err)
		}
	}
	good.Endpoint += "/more"
	if _, err = b.team.Devices.Add(t.Context(), good); err == nil {
		t.Error("a person may have any number of devices")
	}
}
