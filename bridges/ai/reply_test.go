package ai

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

var shop = []chat.Passage{
	{Source: "s1", Title: "Returns", URL: "https://shop.example/returns", Text: "You can return goods within 30 days. The refund comes within 1,200 minutes. Shipping costs €4.90."},
	{Source: "s1", Title: "Opening hours", URL: "https://shop.example/hours", Text: "We are open from 9:00 to 17:30. Write to help@shop.example. See https://evil.example/login now."},
	{Source: "s2", Title: "Typed in", Text: "The shop belongs to Ada."},
	{Source: "s1", Title: "Returns, once more", URL: "https://shop.example/returns", Text: "Returns are sent by post."},
}

// TestReadAnswer: what a visitor reads rests on what the model was given, and has no
// links but those.
func TestReadAnswer(t *testing.T) {
	const house = "We are Shop & Sons, founded in 1987. Our blog is at https://blog.shop.example/news."
	long := strings.Repeat("We like shoes. ", 40)
	tests := []struct {
		name, model, want string
		sources           string // titles
		handBack          string
	}{
		{name: "cited", model: "You can return goods within 30 days [1].", want: "You can return goods within 30 days.", sources: "Returns"},
		{name: "one page once", model: "You can return goods within 30 days [1]. Returns are sent by post [4]. The shop belongs to Ada [3].",
			want: "You can return goods within 30 days. Returns are sent by post. The shop belongs to Ada.", sources: "Returns"},
		{name: "other brackets", model: "You can return goods within thirty days【1】.", want: "You can return goods within thirty days.", sources: "Returns"},
		{name: "another language without its words again", model: "はい、30日以内です【1】。", want: "「Returns」より： “You can return goods within 30 days.”", sources: "Returns"},
		{name: "the house", model: "Founded in 1987 [0].", want: "Founded in 1987."},
		{name: "greeting", model: "Hello! How can I help?", want: "Hello! How can I help?"},
		{name: "long and without a source", model: long, handBack: chat.AIEndUnsure},
		{name: "hand over", model: "HANDOVER asked", handBack: chat.AIEndAsked},
		{name: "hand over, chatty", model: "I am sorry!\n\nHANDOVER: unsure", handBack: chat.AIEndUnsure},
		{name: "hand over, other words", model: "**HANDOVER**", handBack: chat.AIEndUnsure},
		{name: "nothing", model: "[1]", handBack: chat.AIEndUnsure},
		{name: "a price that no passage has", model: "Shipping costs €3.90 [1].", want: "From Returns: “Shipping costs €4.90.”", sources: "Returns"},
		{name: "a price that one has", model: "Shipping costs 4,90 EUR [1].", want: "Shipping costs 4,90 EUR.", sources: "Returns"},
		{name: "a share", model: "You get 5% [1].", handBack: chat.AIEndUnsure},
		{name: "a share in other digits", model: "ستحصل على ٥٠٪ [1].", handBack: chat.AIEndUnsure},
		{name: "a date", model: "It arrives on 24 December [1].", handBack: chat.AIEndUnsure},
		{name: "a number of the visitor", model: "Could you describe order 4711?", want: "Could you describe order 4711?"},
		{name: "a price of the visitor", model: "Yes, 99 € is fine [1].", handBack: chat.AIEndUnsure},
		{name: "thousands", model: "The refund comes within 1200 minutes [1].", want: "The refund comes within 1200 minutes.", sources: "Returns"},
		{name: "a promise that no passage makes", model: "We guarantee that [1].", handBack: chat.AIEndUnsure},
		{name: "a discount", model: "Du bekommst einen Rabatt [1].", handBack: chat.AIEndUnsure},
		{name: "a refund in another language", model: `{"sentences":[{"text":"Waren können Sie innerhalb von 30 Tagen zurückgeben.","passage":1,"quote":"You can return goods within 30 days.","restated":"You can return goods within 30 days."}],"handOver":"no"}`,
			want: "Waren können Sie innerhalb von 30 Tagen zurückgeben.", sources: "Returns"},
		{name: "another number in another language", model: `{"sentences":[{"text":"Waren können Sie innerhalb von 60 Tagen zurückgeben.","passage":1,"quote":"You can return goods within 30 days.","restated":"You can return goods within 30 days."}],"handOver":"no"}`,
			want: "Aus „Returns“: “You can return goods within 30 days.”", sources: "Returns"},
		{name: "the form between marks, and a part unknown", model: "```json\n" + `{"sentences":[{"text":"Shipping costs 4.90 euros.","passage":1,"quote":"Shipping costs €4.90","restated":""}],"handOver":"unsure"}` + "\n```",
			want: "Shipping costs 4.90 euros.", sources: "Returns", handBack: chat.AIEndUnsure},
		{name: "a quote that no passage has", model: `{"sentences":[{"text":"We wrap gifts.","passage":1,"quote":"We wrap gifts.","restated":""}],"handOver":"no"}`, handBack: chat.AIEndUnsure},
		{name: "half a form", model: `{"sentences":[{"text":"You can return goods within 30 days.","passage":`, handBack: chat.AIEndUnsure},
		{name: "a form that is none", model: `{"sentences":"You can return goods within 30 days."}`, handBack: chat.AIEndUnsure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := &grounds{passages: shop, instructions: house, conversation: "Visitor: my order 4711, for 99 €"}
			r := readAnswer(Completion{Text: tt.model}, g)
			var titles []string
			for _, s := range r.sources {
				titles = append(titles, s.Title)
			}
			if r.text != tt.want || strings.Join(titles, "|") != tt.sources || r.handBack != tt.handBack {
				t.Errorf("%q\n got %q from %q, hand-back %q\nwant %q from %q, hand-back %q", tt.model, r.text, titles, r.handBack, tt.want, tt.sources, tt.handBack)
			}
		})
	}
}

// TestReadDraft: what operators read has no links but to what the model was given.
func TestReadDraft(t *testing.T) {
	const house = "We are Shop & Sons. Our blog is at https://blog.shop.example/news."
	tests := []struct{ name, model, want, sources string }{
		{name: "several in one", model: "Yes [1, 2].", want: "Yes.", sources: "Returns|Opening hours"},
		{name: "a number that no passage has", model: "Yes [9].", want: "Yes."},
		{name: "foreign links", model: "See [this](https://evil.example/a) or https://evil.example/login or www.evil.example or evil.com/x or 10.0.0.1/x [2].",
			want: "See this or or or or.", sources: "Opening hours"},
		{name: "foreign domains without a scheme", model: "See evil.zip or evil.cash/x or login.evil.money or evil.museum/x, open 9.00/day, e.g. in Node.js [2].",
			want: "See or or or, open 9.00/day, e.g. in Node.js.", sources: "Opening hours"},
		{name: "a link of a passage", model: "See https://shop.example/returns. [1]", want: "See https://shop.example/returns.", sources: "Returns"},
		{name: "a link that goes further", model: "See https://shop.example/returns?next=https://evil.example [1]", want: "See", sources: "Returns"},
		{name: "a link of the house", model: "See https://blog.shop.example/news [0].", want: "See https://blog.shop.example/news."},
		{name: "mail", model: "Write to help@shop.example, not to me@evil.example [2].", want: "Write to help@shop.example, not to.", sources: "Opening hours"},
		{name: "schemes", model: "Click javascript:alert(1) or data:text/html;base64,AAA or mailto:a@evil.example [1]", want: "Click or or", sources: "Returns"},
		{name: "markup", model: "# Hello\n<script>alert(1)</script>**Yes** <img src=x> [1]", want: "Hello\nalert(1)Yes", sources: "Returns"},
		{name: "thoughts", model: "Yes [1].\n\n\n\nReally [1].", want: "Yes.\n\nReally.", sources: "Returns"},
	}
	for _, tt := range tests {
		r := readDraft(Completion{Text: tt.model}, &grounds{passages: shop, instructions: house})
		var titles []string
		for _, s := range r.sources {
			titles = append(titles, s.Title)
		}
		if r.text != tt.want || strings.Join(titles, "|") != tt.sources {
			t.Errorf("%s: %q\n got %q from %q\nwant %q from %q", tt.name, tt.model, r.text, titles, tt.want, tt.sources)
		}
	}
}

// TestNothingKnown: without anything to rest on there is no more than a greeting or
// a question back.
func TestNothingKnown(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("Paris is the capital of France. ", 20))
	if r := readAnswer(Completion{Text: long}, &grounds{}); r.handBack != chat.AIEndUnsure {
		t.Errorf("it says %q", r.text)
	}
	if r := readAnswer(Completion{Text: "Hello! How can I help?"}, &grounds{}); r.handBack != "" {
		t.Errorf("a greeting is handed back: %q", r.handBack)
	}
}

// TestLength: whatever a model answers, a visitor gets no more than can be read.
func TestLength(t *testing.T) {
	for name, tt := range map[string]struct {
		done Completion
		most int
		end  string
	}{
		"huge":                {Completion{Text: strings.Repeat("We bake bread. ", 100_000) + "[0]"}, maxText, "bread."},
		"cut off":             {Completion{Text: "We bake bread [0]. And we al", Cut: true}, 20, "bread."},
		"cut off, in Chinese": {Completion{Text: "我们烤面包[0]。我们也", Cut: true}, 20, "面包。"},
	} {
		r := readAnswer(tt.done, &grounds{instructions: "We bake bread.\n我们烤面包。"})
		if n := len([]rune(r.text)); n > tt.most || !strings.HasSuffix(r.text, tt.end) {
			t.Errorf("%s: %d characters that end in %q", name, n, r.text[max(0, len(r.text)-20):])
		}
	}
	if r := readAnswer(Completion{Text: "It is", Cut: true}, &grounds{}); r.handBack != chat.AIEndUnsure {
		t.Errorf("half a sentence: %+v", r)
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add("Yes [1]. https://evil.example [x](javascript:y)")
	f.Fuzz(func(t *testing.T, text string) {
		r := readAnswer(Completion{Text: text}, &grounds{passages: shop})
		if len([]rune(r.text)) > maxText || strings.Contains(r.text, "evil.example/") || strings.ContainsRune(r.text, 0) {
			t.Errorf("%q", r.text)
		}
	})
}

func TestAsksForPerson(t *testing.T) {
	for text, want := range map[string]string{
		"I want to talk to a human!": "en", "Human, please": "en", "AGENT": "en", "can i speak to someone real person": "en",
		"Ich möchte mit einem Menschen sprechen": "de", "Mitarbeiter": "de", "Je veux parler à un humain": "fr", "Puis-je parler à quelqu'un ?": "fr",
		"Quiero hablar con una persona": "es", "Vorrei parlare con una persona": "it", "Quero falar com uma pessoa": "pt", "Ik wil met een medewerker praten": "nl",
		"Jag vill prata med en människa": "sv", "Jeg vil tale med et menneske": "da", "Jeg vil snakke med et menneske": "nb", "Chcę rozmawiać z człowiekiem": "pl",
		"Chci mluvit s člověkem": "cs", "Bir insanla konuşmak istiyorum": "tr", "Позовите оператора": "ru", "Хочу поговорити з людиною": "uk", "オペレーターにつないでください": "ja",
		"转人工": "zh", "상담원 연결해 주세요": "ko", "أريد التحدث مع شخص": "ar", "אני רוצה לדבר עם נציג": "he", "मुझे इंसान से बात करनी है": "hi", "ขอคุยกับเจ้าหน้าที่": "th",
		"Tôi muốn gặp nhân viên": "vi", "Saya ingin bicara dengan manusia": "id", "Haluan puhua ihmisen kanssa": "fi", "Emberrel szeretnék beszélni": "hu",
		"Vreau să vorbesc cu un om": "ro", "Θέλω να μιλήσω με άνθρωπο": "el", "می\u200cخواهم با یک نفر صحبت کنم": "fa",
		"talk to human": "en", "Can I speak with a person?": "en", "Kann ich bitte mit einem echten Mitarbeiter sprechen?": "de", "je voudrais un humain": "fr",
		"Do you sell books about human rights?": "", "What does a travel agent cost?": "", "Wo ist mein Paket?": "", "": "",
		"The operator of the machine is missing": "", strings.Repeat("long story ", 40) + "talk to a human": "",
	} {
		language, asks := asksForPerson(text, "en")
		if asks != (want != "") || language != want {
			t.Errorf("%q: %q, %v; want %q", text, language, asks, want)
		}
	}
	if language, _ := asksForPerson("persona", "it"); language != "it" {
		t.Errorf("of two languages it is %q, not the visitor's", language)
	}
}
