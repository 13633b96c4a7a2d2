package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relay/bridges/bridgetest"
	"relay/server/chat"
)

var visitor = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}

// write lets a visitor write, and returns the message.
func (o *office) write(t *testing.T, sessionID, text string) chat.Message {
	t.Helper()
	m, err := o.Send(t.Context(), visitor, chat.Post{SessionID: sessionID, Content: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// attach lets a visitor send a file.
func (o *office) attach(t *testing.T, sessionID, content string) chat.Message {
	t.Helper()
	a, err := o.Upload(t.Context(), visitor, sessionID, "notes.txt", strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	m, err := o.Send(t.Context(), visitor, chat.Post{SessionID: sessionID, AttachmentIDs: []string{a.ID}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shows counts the messages of the only thread that have something in them.
func (o *office) shows(what string) (n int) {
	for _, m := range o.Threads()[0].Messages {
		if strings.Contains(m.Text, what) || what == string(m.Data) {
			n++
		}
	}
	return n
}

// away keeps relay from Discord for a while, in one process or over a restart:
// nonces are forgotten then.
var away = map[string]func(t *testing.T, o *office){
	"restarted": func(t *testing.T, o *office) {
		o.close()
		time.Sleep(10 * time.Minute)
		o.open(t)
	},
	"restarted at once": func(t *testing.T, o *office) {
		o.close()
		o.open(t)
	},
	"not reached": func(_ *testing.T, o *office) {
		o.Storm(bridgetest.Storm{Seed: 1, All: 1})
		time.Sleep(10 * time.Minute)
		o.Storm(bridgetest.Storm{})
	},
	"rebuilt while not reached": func(t *testing.T, o *office) {
		o.Storm(bridgetest.Storm{Seed: 1, All: 1})
		time.Sleep(10 * time.Minute)
		o.close()
		o.open(t)
		o.Storm(bridgetest.Storm{})
	},
}

// in runs a test for each way to be away, behind a message that is delivered.
func inDoubt(t *testing.T, test func(t *testing.T, o *office, session string, leave func())) {
	for name, leave := range away {
		t.Run(name, func(t *testing.T) {
			inOffice(t, func(t *testing.T, o *office) {
				session := o.visit(t, "ann")
				o.say(t, session, "hello there")
				o.settle(t)
				o.Fail(1, bridgetest.FaultAnswerLost)
				test(t, o, session, func() { leave(t, o) })
			})
		})
	}
}

// What arrived while its answer was lost is there once, however long it takes
// until relay can go on, and if something equal was written before.
func TestDoubtIsKept(t *testing.T) {
	inDoubt(t, func(t *testing.T, o *office, session string, leave func()) {
		for n := range 2 {
			o.Fail(1, bridgetest.FaultAnswerLost)
			o.say(t, session, "my card was charged twice")
			time.Sleep(50 * time.Millisecond)
			leave()
			o.settle(t)
			if got := o.shows("my card was charged twice"); got != n+1 {
				t.Errorf("it is shown %d times, want %d", got, n+1)
			}
		}
		o.say(t, session, "are you there?")
		o.settle(t)
		if o.shows("are you there?") != 1 {
			t.Error("what came behind it is not shown")
		}
	})
}

// A file in doubt is there once, too.
func TestDoubtOfFile(t *testing.T) {
	inDoubt(t, func(t *testing.T, o *office, session string, leave func()) {
		o.attach(t, session, "what happened")
		time.Sleep(50 * time.Millisecond)
		leave()
		o.settle(t)
		if n := o.shows("what happened"); n != 1 {
			t.Errorf("it is shown %d times", n)
		}
	})
}

// What was edited while it was in doubt is there once, as it reads now.
func TestDoubtOfEdited(t *testing.T) {
	inDoubt(t, func(t *testing.T, o *office, session string, leave func()) {
		m := o.write(t, session, "the first words")
		time.Sleep(50 * time.Millisecond)
		if _, err := o.Relay.Edit(t.Context(), visitor, session, m.ID, "other words"); err != nil {
			t.Fatal(err)
		}
		leave()
		o.settle(t)
		if before, now := o.shows("the first words"), o.shows("other words"); before != 0 || now != 1 {
			t.Errorf("shown as it was %d times, as it is %d times", before, now)
		}
	})
}

// What was deleted while it was in doubt is removed.
func TestDoubtOfDeleted(t *testing.T) {
	for what, write := range map[string]func(t *testing.T, o *office, session, secret string) chat.Message{
		"text": func(t *testing.T, o *office, session, secret string) chat.Message { return o.write(t, session, secret) },
		"file": func(t *testing.T, o *office, session, secret string) chat.Message {
			return o.attach(t, session, secret)
		},
	} {
		t.Run(what, func(t *testing.T) {
			inDoubt(t, func(t *testing.T, o *office, session string, leave func()) {
				const secret = "my password is hunter2"
				m := write(t, o, session, secret)
				time.Sleep(50 * time.Millisecond)
				if o.shows(secret) != 1 {
					t.Error("nothing is in doubt: the test proves nothing")
				}
				if err := o.Relay.Delete(t.Context(), visitor, session, m.ID); err != nil {
					t.Fatal(err)
				}
				leave()
				o.settle(t)
				if n := o.shows(secret); n != 0 {
					t.Errorf("it is still shown %d times", n)
				}
				if o.shows("hello there") != 1 {
					t.Error("something else was removed")
				}
			})
		})
	}
}

// Of texts that went out together in doubt, those that were deleted or edited
// since are shown as they are, and nothing is there twice.
func TestDoubtOfBatch(t *testing.T) {
	inDoubt(t, func(t *testing.T, o *office, session string, leave func()) {
		o.Storm(bridgetest.Storm{Seed: 1, All: 1})
		var written []chat.Message
		for n := range 3 {
			written = append(written, o.write(t, session, fmt.Sprint("line ", n)))
		}
		time.Sleep(50 * time.Millisecond)
		o.Storm(bridgetest.Storm{})
		o.Fail(1, bridgetest.FaultAnswerLost)
		for range 100 { // until they were sent
			if time.Sleep(time.Second); o.shows("line 0") > 0 {
				break
			}
		}
		if err := o.Relay.Delete(t.Context(), visitor, session, written[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := o.Relay.Edit(t.Context(), visitor, session, written[1].ID, "line one"); err != nil {
			t.Fatal(err)
		}
		leave()
		o.settle(t)
		for what, want := range map[string]int{"line 0": 0, "line 1": 0, "line one": 1, "line 2": 1} {
			if n := o.shows(what); n != want {
				t.Errorf("%q is shown %d times, want %d", what, n, want)
			}
		}
	})
}
