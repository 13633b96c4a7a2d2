package ai

import (
	"regexp"
	"strings"
	"unicode"
)

// promises are words for things that the AI must not promise by itself, one list per
// meaning. A text may use one only if its grounds do, in whatever language.
var promises = [][]string{
	{"refund", "money back", "reimburs", "rückerstatt", "erstatt", "geld zurück", "rembours", "reembols", "devoluci", "rimbors", "terugbetal", "geld terug",
		"återbetal", "tilbagebetal", "refusjon", "refusion", "zwrot", "zwróc", "vrácen", "vrátíme", "visszatérít", "rambursa", "palaut", "hyvity",
		"возврат", "вернём деньги", "вернем деньги", "возмещ", "поверн", "επιστροφή χρημ", "iade", "返金", "払い戻", "退款", "환불", "استرداد", "החזר", "คืนเงิน", "hoàn tiền", "pengembalian dana", "रिफंड", "वापसी"},
	{"discount", "voucher", "coupon", "for free", "free of charge", "rabatt", "nachlass", "gutschein", "kostenlos", "umsonst", "gratis", "remise", "réduction", "gratuit", "descuento", "cupón",
		"sconto", "gratuito", "desconto", "korting", "zniżk", "rabat", "darmow", "slev", "zdarma", "kedvezmény", "ingyen", "alennus", "ilmai", "скидк", "бесплатн", "знижк", "безкоштовн",
		"έκπτωση", "δωρεάν", "indirim", "ücretsiz", "割引", "無料", "折扣", "优惠", "免费", "할인", "무료", "خصم", "مجان", "הנחה", "חינם", "ส่วนลด", "ฟรี", "giảm giá", "miễn phí", "diskon", "छूट", "मुफ्त"},
	{"guarantee", "warrant", "i promise", "we promise", "garantie", "garantier", "versprech", "promets", "promettons", "garantía", "garantiz", "prometo", "prometemos", "garanzia", "garantis", "promett",
		"garantia", "garanto", "beloof", "beloven", "garanti", "lovar", "lover", "gwarancj", "gwarantuj", "obiecuj", "záruk", "garant", "slib", "garancia", "ígér", "takuu", "lupaa",
		"гарант", "обеща", "обіця", "εγγύηση", "υπόσχ", "söz veriyor", "保証", "約束", "保证", "承诺", "보장", "약속", "ضمان", "أعد", "אחריות", "מבטיח", "รับประกัน", "สัญญา", "đảm bảo", "bảo hành", "garansi", "jamin", "गारंटी"},
}

// supports reports whether the grounds contain a text's promises and amounts.
func (g *grounds) supports(text string) bool {
	known := g.known()
	return !promisesBeyond(strings.ToLower(text), strings.ToLower(known)) && !g.inventsNumbers(text, known)
}

func promisesBeyond(text, known string) bool {
	for _, words := range promises {
		if hasAny(text, words) && !hasAny(known, words) {
			return true
		}
	}
	return false
}

func hasAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// number matches a number in any script, with its separators.
var number = regexp.MustCompile(`\p{Nd}+(?:[.,'’\x{00a0}\x{202f} ]\p{Nd}{2,3})*`)

// amountSign matches the currency or percent sign after a number.
var amountSign = regexp.MustCompile(`(?i)^\s?(?:[%\p{Sc}％]|eur|usd|chf|gbp|jpy|euro|dollar|pound|franc|percent|prozent|pour ?cent|por ?ciento|per ?cento|procent|円|元|원)`)

// inventsNumbers reports whether a text has an amount that known lacks, or another number
// of two digits or more that nobody wrote.
func (g *grounds) inventsNumbers(text, known string) bool {
	facts := numbersIn(known)
	written := numbersIn(g.conversation)
	for _, at := range number.FindAllStringIndex(text, -1) {
		digits := digitsOf(text[at[0]:at[1]])
		isAmount := amountSign.MatchString(text[at[1]:]) || endsInCurrency(text[:at[0]])
		switch {
		case facts[digits], strings.Trim(digits, "0") == "":
		case isAmount, len(digits) >= 2 && !written[digits]:
			return true
		}
	}
	return false
}

func endsInCurrency(before string) bool {
	runes := []rune(strings.TrimRight(before, " \u00a0"))
	if len(runes) > 0 && unicode.Is(unicode.Sc, runes[len(runes)-1]) {
		return true
	}
	word := strings.ToUpper(string(runes[max(0, len(runes)-3):]))
	return word == "EUR" || word == "USD" || word == "CHF" || word == "GBP" || word == "JPY"
}

func numbersIn(text string) map[string]bool {
	found := map[string]bool{}
	for _, n := range number.FindAllString(text, -1) {
		found[digitsOf(n)] = true
		for _, part := range strings.FieldsFunc(n, func(r rune) bool { return !unicode.IsDigit(r) }) {
			found[digitsOf(part)] = true
		}
	}
	return found
}

// digitsOf returns a number as ASCII digits, without the zero cents of a round amount.
func digitsOf(text string) string {
	runes := []rune(text)
	if n := len(runes); n > 3 && (runes[n-3] == '.' || runes[n-3] == ',') && digit(runes[n-2]) == '0' && digit(runes[n-1]) == '0' {
		runes = runes[:n-3]
	}
	var b strings.Builder
	for _, r := range runes {
		if unicode.IsDigit(r) {
			b.WriteRune(digit(r))
		}
	}
	return b.String()
}

// digit converts a digit of any script to ASCII: each script has its ten in a row.
func digit(r rune) rune {
	if r >= '0' && r <= '9' || !unicode.IsDigit(r) {
		return r
	}
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return '0' + (r - zero)
}
