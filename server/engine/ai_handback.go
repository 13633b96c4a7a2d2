package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

// farewell is what the AI says at the end, in one language.
type farewell struct{ unsure, person string }

// farewells are by language. Every language of the list says the same.
var farewells = map[string]farewell{
	"en": {"I don't know that.", "A colleague will answer here."},
	"de": {"Das weiß ich nicht.", "Eine Kollegin oder ein Kollege antwortet hier."},
	"fr": {"Je ne sais pas.", "Un collègue va vous répondre ici."},
	"es": {"No lo sé.", "Un compañero le responderá aquí."},
	"it": {"Non lo so.", "Un collega risponderà qui."},
	"pt": {"Isso eu não sei.", "Um colega responderá aqui."},
	"nl": {"Dat weet ik niet.", "Een collega antwoordt hier."},
	"sv": {"Det vet jag inte.", "En kollega svarar här."},
	"da": {"Det ved jeg ikke.", "En kollega svarer her."},
	"nb": {"Det vet jeg ikke.", "En kollega svarer her."},
	"fi": {"En tiedä sitä.", "Kollega vastaa täällä."},
	"pl": {"Tego nie wiem.", "Odpowie tutaj nasz pracownik."},
	"cs": {"To nevím.", "Kolega vám odpoví tady."},
	"sk": {"To neviem.", "Kolega vám odpovie tu."},
	"hu": {"Ezt nem tudom.", "Egy kolléga itt fog válaszolni."},
	"ro": {"Nu știu asta.", "Un coleg va răspunde aici."},
	"bg": {"Не знам това.", "Колега ще отговори тук."},
	"el": {"Δεν το γνωρίζω.", "Ένας συνάδελφος θα απαντήσει εδώ."},
	"tr": {"Bunu bilmiyorum.", "Bir çalışma arkadaşımız buradan yanıt verecek."},
	"ru": {"Этого я не знаю.", "Коллега ответит вам здесь."},
	"uk": {"Цього я не знаю.", "Колега відповість вам тут."},
	"hr": {"To ne znam.", "Kolega će odgovoriti ovdje."},
	"sl": {"Tega ne vem.", "Sodelavec bo odgovoril tukaj."},
	"lt": {"To nežinau.", "Kolega atsakys čia."},
	"lv": {"To es nezinu.", "Kolēģis atbildēs šeit."},
	"et": {"Seda ma ei tea.", "Kolleeg vastab siin."},
	"ja": {"申し訳ありませんが、わかりかねます。", "担当者がこちらでお答えします。"},
	"zh": {"这个问题我无法回答。", "我们的同事会在这里答复您。"},
	"ko": {"그 점은 제가 알지 못합니다.", "담당자가 여기에서 답변해 드리겠습니다."},
	"ar": {"لا أعرف ذلك.", "سيجيبك أحد الزملاء هنا."},
	"he": {"איני יודע זאת.", "נציג ישיב לך כאן."},
	"fa": {"این را نمی\u200cدانم.", "یکی از همکاران همین\u200cجا پاسخ می\u200cدهد."},
	"hi": {"यह मुझे नहीं पता।", "हमारे एक सहकर्मी यहीं उत्तर देंगे।"},
	"th": {"เรื่องนี้ฉันไม่ทราบ", "เจ้าหน้าที่จะตอบคุณที่นี่"},
	"vi": {"Tôi không biết điều đó.", "Một đồng nghiệp sẽ trả lời tại đây."},
	"id": {"Saya tidak tahu itu.", "Rekan kami akan menjawab di sini."},
}

// sameTongue are other codes of languages of the list.
var sameTongue = map[string]string{"no": "nb", "nn": "nb", "ms": "id", "iw": "he", "in": "id", "yue": "zh", "bs": "hr", "sr": "hr"}

// scripts are those that identify a language. Japanese comes first: it is written with
// Chinese signs, too.
var scripts = []struct {
	table    *unicode.RangeTable
	language string
	also     []string // languages of the same script that a browser may ask for
}{
	{unicode.Hiragana, "ja", nil}, {unicode.Katakana, "ja", nil}, {unicode.Hangul, "ko", nil}, {unicode.Han, "zh", []string{"ja"}},
	{unicode.Arabic, "ar", []string{"fa"}}, {unicode.Hebrew, "he", nil}, {unicode.Thai, "th", nil}, {unicode.Greek, "el", nil},
	{unicode.Devanagari, "hi", nil}, {unicode.Cyrillic, "ru", []string{"uk", "bg"}},
}

// frequent are the words that distinguish languages of the Latin script.
var frequent = map[string]string{
	"en": " the is are you your what how when where can do does have my with for i and please to of it this that ",
	"de": " der das ist sind ich sie wie wann wo kann können habe mein mit für und bitte nicht ein eine zu es ihr wir haben ",
	"fr": " le les est vous votre comment quand où je peux pouvez avez mon ma avec pour et s'il une du des pas nous ",
	"es": " el los está usted cómo cuándo dónde puedo tiene tienen mi con por una y qué hay para ustedes gracias ",
	"it": " il gli è sono come quando dove posso avete mio mia con una che cosa anche grazie della ",
	"pt": " os você vocês como quando onde posso têm meu minha com uma não que obrigado obrigada fazem ",
	"nl": " het zijn jullie hoe wanneer waar kan ik mijn met voor een niet wat hebben en van ",
	"sv": " är ni hur när var jag min med och inte vad har kan ett till ",
	"pl": " jest są jak kiedy gdzie czy mogę mój moja ze nie co macie proszę ",
	"tr": " mı mi ne nasıl zaman nerede var için ben benim bir bu ve mısınız ",
}

// languageWritten is the language whose words a text has most of, "" when that is
// not clear: two words at least, and more than any other.
func languageWritten(text string) (language string) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	best, second := 1, 1
	for code, list := range frequent {
		n := 0
		for _, w := range words {
			if strings.Contains(list, " "+w+" ") {
				n++
			}
		}
		switch {
		case n > best:
			language, best, second = code, n, best
		case n > second || n == best:
			second = n
		}
	}
	if best == second {
		return ""
	}
	return language
}

// LanguageOf is the language of the list that a visitor writes or reads: by the
// script or the words of what it wrote, else by its browser.
func LanguageOf(s *chat.Session, text string) string {
	browser := languageNamed(s.Metadata.V.Language)
	for _, script := range scripts {
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(script.table, r) }) {
			for _, other := range script.also {
				if browser == other {
					return other
				}
			}
			return script.language
		}
	}
	return cmp.Or(languageWritten(text), browser)
}

// languageNamed is the language of the list that a code like de-AT names, English
// when there is none.
func languageNamed(code string) string {
	code, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(code, "_", "-")), "-")
	if other, known := sameTongue[code]; known {
		code = other
	}
	if _, known := farewells[code]; !known {
		return "en"
	}
	return code
}

// HandBackLanguages are the languages in which the AI says that a person answers.
func HandBackLanguages() []string { return slices.Sorted(maps.Keys(farewells)) }

// HandBackText is the last sentence of the AI to a visitor: that a person answers here, in the
// owner's own words if there are any.
func HandBackText(own, language, reason string) string {
	f := farewells[languageNamed(language)]
	text := cmp.Or(own, f.person)
	if reason == chat.AIEndUnsure {
		text = f.unsure + " " + text
	}
	return text
}
