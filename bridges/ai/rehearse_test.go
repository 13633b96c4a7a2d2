package ai

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

// TestRehearse: what people answered is found, the AI answers it as it would have then, nobody reads
// it, and both are compared.
func TestRehearse(t *testing.T) {
	settings := map[string]chat.Raw{"aiMode": chat.Raw(`"off"`), "aiDailyTokens": chat.Raw("1000"), "aiTopics": chat.Raw(`["refund"]`)}
	inTime(t, settings, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id := h.open("en")
		for _, line := range []string{"v: Hello!", "o: Hi.", "v: Do you", "v: ship, ada@example.com?", "o: Yes, we ship.", "v: Thanks", "o: Bye.", "v: When do you open?", "o: At 9.", "v: A refund?", "o: No.", "v: Anything else?"} {
			by, text := visitor, strings.TrimPrefix(line, "v: ")
			if strings.HasPrefix(line, "o: ") {
				by, text = operator, strings.TrimPrefix(line, "o: ")
			}
			h.say(by, id, text)
			time.Sleep(time.Second)
		}
		before := h.said(id)
		list, err := Examples(t.Context(), h.Store, nil, 10)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, r := range list {
			found = append(found, r.Question+" → "+r.Answered)
		}
		h.is("found", strings.Join(found, "|"), "A refund? → No.|When do you open? → At 9.|Do you\nship, […]? → Yes, we ship.")
		if few, err := Examples(t.Context(), h.Store, nil, 1); len(few) != 1 || err != nil {
			t.Errorf("of one there are %d (%v)", len(few), err)
		}
		if others, err := Examples(t.Context(), h.Store, chat.SiteSet{"berlin"}, 10); len(others) != 0 || err != nil {
			t.Errorf("at another site there are %v (%v)", others, err)
		}
		for i, want := range []string{"handover/refund/", "differs/it leaves out a number that the person said/We ship.", "same//We ship."} {
			if err := h.sink.Rehearse(t.Context(), &list[i]); err != nil {
				t.Fatal(err)
			}
			h.is(list[i].Question, list[i].Verdict+"/"+list[i].Reason+"/"+list[i].Said, want)
		}
		if last := h.model.Asked()[0].Data; strings.Contains(last, "At 9") || strings.Contains(last, "refund") || !strings.Contains(last, "When do you open?") {
			t.Errorf("the model reads what came later:\n%s", last)
		}
		h.is("visitors read", h.said(id), before)
		list[2].Judged = chat.JudgedGood
		if err := h.sink.Rehearse(t.Context(), &list[2]); err != nil || list[2].Judged != chat.JudgedGood {
			t.Errorf("the judgement of the same words is %q (%v)", list[2].Judged, err)
		}
		for range 5 {
			err = h.sink.Rehearse(t.Context(), &list[1])
		}
		if err != ErrRehearsalRests {
			t.Errorf("visitors' half of the tokens is used: %v", err)
		}
	})
}
