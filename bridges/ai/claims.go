package ai

import "strings"

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
