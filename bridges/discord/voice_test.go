package discord_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// speech is a recording of 60 ms.
var speech = bridgetest.Recording(20, 120, 70)

// A recording is a voice message where Discord takes it, else a file as before.
func TestVoice(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*discordtest.Platform)
		op      chat.Op
		voices  int
		content string // what the messages show
	}{
		"recording":       {nil, chat.Op{File: bridgetest.File("v.ogg", "audio/ogg", speech)}, 1, "|v.ogg"},
		"by another name": {nil, chat.Op{File: bridgetest.File("v", "audio/opus; rate=1", speech)}, 1, "|v"},
		"of an operator":  {nil, chat.Op{From: "Ada (telegram)", File: bridgetest.File("v.ogg", "audio/ogg", speech)}, 1, "Ada (telegram):\n🎤 v.ogg||v.ogg"},
		"with a text":     {nil, chat.Op{Text: "listen", File: bridgetest.File("v.ogg", "audio/ogg", speech)}, 1, "listen||v.ogg"},
		"may not attach":  {func(f *discordtest.Platform) { f.Deny(1 << 15) }, chat.Op{File: bridgetest.File("v.ogg", "audio/ogg", speech)}, 1, "|v.ogg"},
		"may not speak":   {func(f *discordtest.Platform) { f.Deny(1 << 46) }, chat.Op{File: bridgetest.File("v.ogg", "audio/ogg", speech)}, 0, "|v.ogg"},
		"rejected":        {(*discordtest.Platform).RefuseVoice, chat.Op{File: bridgetest.File("v.ogg", "audio/ogg", speech)}, 0, "|v.ogg"},
		"not Opus":        {nil, chat.Op{File: bridgetest.File("v.ogg", "audio/ogg", "OggS\x00 and then Vorbis")}, 0, "|v.ogg"},
		"not Opus, named": {nil, chat.Op{From: "Ada", File: bridgetest.File("v.ogg", "audio/ogg", "OggS")}, 0, "Ada:\n🎤 v.ogg||v.ogg"},
		"Safari's":        {nil, chat.Op{From: "Ada", File: bridgetest.File("v.m4a", "audio/mp4", speech)}, 0, "Ada:|v.m4a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				b, log := makeBridge(t, f)
				th := open(t, b, "Ann", "")
				if c.change != nil {
					c.change(f)
				}
				before := len(thread(t, f, th.Ref).Messages)
				c.op.Kind = chat.OpPost
				for _, op := range b.Split(c.op) {
					op.Key = key()
					bridgetest.Must(t, b, th, op)
				}
				shown := ""
				for i, m := range thread(t, f, th.Ref).Messages[before:] {
					if i > 0 {
						shown += "|"
					}
					if shown += m.Text; m.Filename != "" {
						shown += "|" + m.Filename
					}
				}
				voices := f.Voices(th.Ref)
				if shown != c.content || len(voices) != c.voices {
					t.Errorf("it shows %q with %d voice messages, want %q with %d", shown, len(voices), c.content, c.voices)
				}
				for _, v := range voices {
					if v.Seconds != 0.06 || string(v.Waveform) != "\x00\xff\x7f" {
						t.Errorf("it is %+v", v)
					}
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// A recording whose reported size is wrong is a voice message all the same.
func TestVoiceOfAnotherSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		th := open(t, b, "Ann", "")
		file := bridgetest.File("v.ogg", "audio/ogg", speech)
		file.Size++
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: file, Key: key()})
		if n := len(f.Voices(th.Ref)); n != 1 {
			t.Errorf("there are %d voice messages", n)
		}
	})
}

// A visitor's recording with a text: the text can be edited, both are removed, and a lost
// answer doubles nothing.
func TestVoiceLives(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello there")
		h.Settle()
		h.Fail(1, bridgetest.FaultAnswerLost)
		alone := h.SayWithFile(session, "", "voice-message.ogg", speech)
		time.Sleep(50 * time.Millisecond)
		interruptions["restarted"](t, h)
		h.Settle()
		both := h.SayWithFile(session, "listen", "voice-message.ogg", speech)
		h.Settle()
		th := h.Threads()[0].Ref
		expect := func(what string, voices, texts int, text string) {
			t.Helper()
			if n := len(h.Voices(th)); n != voices || h.shows(speech) != voices || h.shows(text) != texts {
				t.Errorf("%s: %d voice messages, %q %d times", what, n, text, h.shows(text))
			}
		}
		expect("sent", 2, 1, "listen")
		if _, err := h.Relay.Edit(t.Context(), bridgetest.Visitor, session, both.ID, "please hear"); err != nil {
			t.Fatal(err)
		}
		h.Settle()
		expect("edited", 2, 1, "please hear")
		for _, m := range []chat.Message{alone, both} {
			if err := h.Relay.Delete(t.Context(), bridgetest.Visitor, session, m.ID); err != nil {
				t.Fatal(err)
			}
		}
		h.Settle()
		expect("deleted", 0, 0, "please hear")
		expect("deleted", 0, 1, "hello there")
	})
}
