package ai

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// personPhrases ask for a person, by language. They decide without the model: who
// asks for one always gets one.
var personPhrases = map[string][]string{
	"en": {"talk to human", "speak to human", "speak with a person", "talk with a person", "talk to a real", "speak to a real", "speak with someone", "talk with someone", "get me a human", "can i have a human", "talk to a human", "speak to a human", "speak with a human", "talk with a human", "talk to a person", "speak to a person", "talk to someone", "speak to someone",
		"talk to an agent", "speak to an agent", "talk to an operator", "speak to a representative", "talk to a representative",
		"customer service representative", "connect me to a human", "connect me with a human", "i want a human", "i need a human"},
	"de": {"mit mensch", "echten mitarbeiter", "echte mitarbeiterin", "mitarbeiter sprechen", "mitarbeiterin sprechen", "mit jemand sprechen", "mit jemandem reden", "mit einem echten", "mit einem menschen", "echten menschen", "mit einem mitarbeiter", "mit einer mitarbeiterin", "mit jemandem sprechen",
		"mit einer person", "mit dem kundenservice", "menschlichen ansprechpartner", "mensch sprechen"},
	"fr": {"voudrais un humain", "veux un humain", "avec quelqu un", "à un conseiller", "avec un conseiller", "à une vraie personne", "parler à un humain", "parler à une personne", "parler à quelqu un", "parler avec un humain", "parler avec une personne"},
	"es": {"hablar con una persona", "hablar con un humano", "hablar con alguien", "hablar con un operador", "con un asesor"},
	"it": {"parlare con una persona", "parlare con un umano", "parlare con qualcuno"},
	"pt": {"falar com uma pessoa", "falar com um humano", "falar com alguém", "falar com um atendente"},
	"nl": {"met een mens", "met een medewerker", "met iemand spreken", "iemand spreken"},
	"sv": {"prata med en människa", "tala med en människa", "prata med någon", "en medarbetare"},
	"da": {"tale med et menneske", "tale med en person", "tale med en medarbejder"},
	"nb": {"snakke med et menneske", "snakke med en person", "snakke med noen", "kundebehandler"},
	"fi": {"puhua ihmisen", "puhua ihmiselle", "asiakaspalvelija"},
	"pl": {"z człowiekiem", "z konsultantem", "z pracownikiem", "z prawdziwą osobą", "żywym człowiekiem"},
	"cs": {"s člověkem", "s operátorem", "živým člověkem", "se skutečnou osobou"},
	"sk": {"s človekom", "s operátorom", "so skutočnou osobou"},
	"hu": {"emberrel", "ügyintézővel", "élő személy", "valódi személy"},
	"ro": {"cu un om", "cu o persoană", "cu un operator", "persoană reală"},
	"tr": {"bir insanla", "gerçek bir kişi", "gerçek kişi", "temsilciyle", "müşteri temsilcisi", "yetkiliyle"},
	"el": {"με άνθρωπο", "με έναν άνθρωπο", "πραγματικό άνθρωπο", "με εκπρόσωπο"},
	"ru": {"с человеком", "с оператором", "позовите оператора", "живой человек", "живым человеком", "соедините с оператором", "с сотрудником"},
	"uk": {"з людиною", "з оператором", "жива людина", "живою людиною", "з працівником"},
	"bg": {"с човек", "с оператор", "истински човек"},
	"ja": {"人間と話", "人と話", "担当者と話", "担当者に", "オペレーター", "人間に代わ", "有人対応", "人間の方"},
	"zh": {"人工客服", "转人工", "轉人工", "真人客服", "真人", "和人说话", "找客服", "人工服务"},
	"ko": {"상담원", "상담사", "사람과 대화", "사람이랑", "직원 연결", "실제 사람", "사람하고"},
	"ar": {"التحدث مع شخص", "التحدث إلى شخص", "أتحدث مع شخص", "شخص حقيقي", "موظف خدمة", "مع موظف", "مع إنسان", "إلى إنسان"},
	"he": {"לדבר עם אדם", "נציג אנושי", "לדבר עם נציג", "עם בן אדם", "אדם אמיתי"},
	"fa": {"با یک انسان", "با یک نفر", "با اپراتور", "با پشتیبان", "انسان واقعی"},
	"hi": {"इंसान से बात", "व्यक्ति से बात", "असली इंसान", "किसी से बात", "प्रतिनिधि से"},
	"th": {"คุยกับคน", "คุยกับเจ้าหน้าที่", "ติดต่อเจ้าหน้าที่", "คนจริง", "พูดกับคน"},
	"vi": {"nói chuyện với người", "gặp nhân viên", "người thật", "gặp tư vấn viên", "nói chuyện với nhân viên"},
	"id": {"bicara dengan manusia", "bicara dengan orang", "orang asli", "bicara dengan petugas", "bicara dengan cs", "customer service manusia"},
}

// personWords ask for a person when they are all that is written.
var personWords = map[string][]string{
	"en": {"human", "a human", "agent", "operator", "person", "representative", "human please", "real person", "real person please", "real human", "no bots please", "no bot please", "agent please", "operator please"},
	"de": {"mensch", "mitarbeiter", "mensch bitte", "mitarbeiter bitte"}, "fr": {"humain", "conseiller", "agent", "un humain", "conseiller svp"}, "es": {"humano", "agente", "persona", "operador", "asesor"},
	"it": {"umano", "operatore", "persona"}, "pt": {"humano", "atendente", "pessoa"}, "nl": {"mens", "medewerker"}, "sv": {"människa"}, "da": {"menneske"}, "nb": {"menneske"}, "fi": {"ihminen"},
	"pl": {"człowiek", "konsultant"}, "cs": {"člověk", "operátor"}, "tr": {"insan", "temsilci"}, "ru": {"оператор", "человек"}, "uk": {"оператор", "людина"}, "ja": {"人間", "担当者", "人間お願いします"},
	"zh": {"人工", "客服", "真人"}, "ko": {"사람", "상담"}, "ar": {"موظف", "إنسان"}, "he": {"נציג", "אדם"}, "hi": {"इंसान"}, "th": {"เจ้าหน้าที่"}, "vi": {"nhân viên"}, "id": {"manusia", "petugas"},
}

// longestAsking is how long a text may be that asks for no more than a person, in
// bytes: in a long one such words are a part of a story.
const longestAsking = 300

// asksForPerson reports whether a text asks for a person, and in which language:
// of several, in the visitor's.
func asksForPerson(text, visitors string) (language string, asks bool) {
	words := normal(text)
	if len(words) > longestAsking {
		return "", false
	}
	if language, wishes := wishesPerson(words, visitors); wishes {
		return language, true
	}
	for _, language := range append([]string{visitors}, slices.Sorted(maps.Keys(personPhrases))...) {
		if slices.Contains(personWords[language], words) || asksIn(language, words) {
			return language, true
		}
	}
	return "", false
}

func asksIn(language, words string) bool {
	spaced := " " + words + " "
	return slices.ContainsFunc(personPhrases[language], func(phrase string) bool {
		return strings.Contains(spaced, " "+phrase+" ") || !isSpaced(phrase) && strings.Contains(words, phrase)
	})
}

// isSpaced reports whether a phrase is of a script that puts spaces between words
// and does not bend them much.
func isSpaced(phrase string) bool {
	return strings.IndexFunc(phrase, func(r rune) bool { return r > 0x24f }) < 0
}

// normal is a text in lower case, its words apart by one space.
func normal(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}
