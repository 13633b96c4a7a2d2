package verify

import "testing"

// TestFormsAreTheSame: the same fact in another form of number, date, time, amount or unit is the
// same.
func TestFormsAreTheSame(t *testing.T) {
	for _, tt := range []struct{ page, says string }{
		{"The ferry leaves at 20:30 and takes 90 minutes.", "The ferry leaves at half past eight pm."},
		{"The ferry takes 90 minutes.", "The ferry takes 1.5 hours."},
		{"Lunch is from 12:00.", "Lunch is from noon."},
		{"The deposit is $1,200.50.", "The deposit is 1200.50 dollars."},
		{"The fair opens on March 3rd, 2025.", "The fair opens on 03/03/2025."},
		{"The fair opens on 2025-03-05.", "The fair opens on 5 March 2025."},
		{"Questions: +49 (0) 89 1234567.", "Questions: +49 89 123 45 67."},
		{"We are open Monday to Friday.", "We are open on Wednesday."},
		{"A bag may weigh 23 kg.", "A bag may weigh 23,000 g."},
		{"Die Fähre fährt um 20.30 Uhr.", "Die Fähre fährt um 20:30 Uhr."},
		{"Der Pfand beträgt 1.200,50 €.", "Der Pfand beträgt 1200,50 Euro."},
		{"Das Museum hat fünfundzwanzig Säle.", "Das Museum hat 25 Säle."},
		{"Le musée est ici pour vous. Le musée compte quatre-vingt-dix salles.", "Le musée compte 90 salles."},
		{"El ferry sale a las 20:30 de aquí.", "El ferry sale a las 8 y media de la noche."},
		{"Il museo ha ventuno sale.", "Il museo ha 21 sale."},
		{"Muzeum jest tutaj dla was. Muzeum ma dwadzieścia pięć sal.", "Muzeum ma 25 sal."},
		{"フェリーは20時30分に出ます。", "フェリーは午後8時30分に出ます。"},
		{"博物馆有二十五个展厅。", "博物馆有25个展厅。"},
		{"المتحف فيه ٢٥ قاعة.", "المتحف فيه 25 قاعة."},
	} {
		if reason, _ := Check(&Claim{Text: tt.says, Quote: tt.page, Page: Page{Title: "Page", Text: tt.page}}); reason != "" {
			t.Errorf("%q is withheld beside %q: %s", tt.says, tt.page, reason)
		}
	}
}

// TestLies: what a page does not say is withheld, however much of it is the page's.
func TestLies(t *testing.T) {
	for _, tt := range []struct{ page, says, quote string }{
		{page: "Standard shipping costs €4.90, express shipping costs €9.90.", says: "Express shipping costs €4.90."},
		{page: "Members ship free. Guests pay €4.90.", says: "Guests ship free."},
		{page: "Gift cards cannot be returned.", says: "Gift cards can be returned."},
		{page: "Shoes can be returned.", says: "Shoes cannot be returned."},
		{page: "We ship to Germany and Austria.", says: "We ship to Norway."},
		{page: "We ship within 3 days.", says: "We ship within 3 weeks."},
		{page: "We ship within 3 days.", says: "We ship within 3 days, free for everyone."},
		{page: "We ship to Germany, but not to France.", says: "We ship to France, but not to Germany."},
		{page: "The museum is open until 6 pm.", says: "The museum is open until 6 am."},
		{page: "The X200 has a battery.", says: "The X300 has a battery."},
		{page: "We ship within 3 days.", says: "We ship within 3 days.", quote: "We ship the same day."},
		{page: "Ayakkabılar iade edilemez.", says: "Ayakkabılar iade edilebilir."},
		{page: "Vi sender ikke til Norge, men til Danmark og Sverige hver dag.", says: "Vi sender til Norge, men til Danmark og Sverige hver dag."},
		{page: "Мы не доставляем мебель.", says: "Мы доставляем мебель."},
	} {
		quote := tt.quote
		if quote == "" {
			quote = tt.page
		}
		if reason, _ := Check(&Claim{Text: tt.says, Quote: quote, Page: Page{Text: tt.page}}); reason == "" {
			t.Errorf("%q is said beside %q", tt.says, tt.page)
		}
	}
}

// TestOtherLanguages: a sentence in another language than the page's needs what it says in the
// page's, with the same numbers and negations.
func TestOtherLanguages(t *testing.T) {
	const page = "Gift cards are not refunded after 30 days."
	for _, tt := range []struct{ says, restated, want string }{
		{"Gutscheine werden nach 30 Tagen nicht erstattet.", page, ""},
		{"Gutscheine werden nach 60 Tagen nicht erstattet.", page, NoNumber},
		{"Gutscheine werden nach 30 Tagen erstattet.", page, Negation},
		{"Gutscheine werden nach 30 Tagen nicht erstattet.", "", Foreign},
		{"Gutscheine werden nach 30 Tagen nicht erstattet.", "Gift cards and vouchers from partner shops are not refunded after 30 days.", NoWord},
	} {
		if reason, _ := Check(&Claim{Text: tt.says, Restated: tt.restated, Quote: page, Page: Page{Text: page}}); reason != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.says, tt.restated, reason, tt.want)
		}
	}
}

// TestTalk: greetings and questions back need no page, and statements do.
func TestTalk(t *testing.T) {
	for text, want := range map[string]bool{
		"Hello! How can I help you?": true, "Thanks!": true, "Guten Tag, wie kann ich helfen?": true, "Bonjour !": true, "こんにちは。": true, "您好！请问有什么可以帮您？": true,
		"Which shoes do you mean?": true, "We wrap gifts.": false, "Yes.": false, "Yes, of course.": false, "Is free shipping nice?": false, "3": false, "": false,
	} {
		if got := IsTalk(text, "Visitor: my shoes"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("We open at half past 8, 24.12.1998, +49 30 1234567, €1,200.50", "We open at 8:30.", "open")
	f.Add("周一至周五9:00", "周一", "(")
	f.Fuzz(func(_ *testing.T, page, says, quote string) {
		Check(&Claim{Text: says, Quote: quote, Restated: page, House: quote, Page: Page{Title: quote, Text: page}})
		Nearest(says, []Page{{Text: page}})
		IsTalk(says, page)
	})
}
