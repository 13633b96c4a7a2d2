package quote_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail/quote"
)

// shape is an answer as a mail program sends it.
type shape struct {
	name       string
	text       string // or HTML
	html, flow bool
	want       string
}

// language is how mail programs write a language, and what somebody says in it.
type language struct {
	gmail, apple, thunderbird string    // introduce a quote
	header                    [4]string // from, sent, to, subject
	original                  string
	phone                     string // the footer of a phone
	own, more                 string
}

const (
	shop    = "Example Shop <chat+vmfzwk4dbnrswy3dpeb3w64tmmqxgk3tf@shop.example>"
	said    = "Support wrote:\nThe lamp is in stock, in blue and in red.\nWhich one would you like?"
	saidRaw = "The lamp is in stock, in blue and in red."
)

var languages = map[string]language{
	"en": {"On Sat, Nov 28, 2026 at 10:12 AM " + shop + " wrote:", "On 28 Nov 2026, at 10:12, " + shop + " wrote:", "On 11/28/26 10:12, Example Shop wrote:",
		[4]string{"From", "Sent", "To", "Subject"}, "-----Original Message-----", "Sent from my iPhone", "The blue one, please.", "Could you send it on Monday?\n\nBest regards\nAna"},
	"de": {"Am Sa., 28. Nov. 2026 um 10:12 Uhr schrieb " + shop + ":", "Am 28.11.2026 um 10:12 schrieb " + shop + ":", "Am 28.11.26 um 10:12 schrieb Example Shop:",
		[4]string{"Von", "Gesendet", "An", "Betreff"}, "-----Ursprüngliche Nachricht-----", "Von meinem iPhone gesendet", "Die blaue bitte.", "Können Sie sie am Montag schicken?\n\nMit freundlichen Grüßen\nAna"},
	"fr": {"Le sam. 28 nov. 2026 à 10:12, " + shop + " a écrit :", "Le 28 nov. 2026 à 10:12, " + shop + " a écrit :", "Le 28/11/2026 à 10:12, Example Shop a écrit :",
		[4]string{"De", "Envoyé", "À", "Objet"}, "-----Message d'origine-----", "Envoyé de mon iPhone", "La bleue, s’il vous plaît.", "Pourriez-vous l’envoyer lundi ?\n\nCordialement,\nAna"},
	"es": {"El sáb, 28 nov 2026 a las 10:12, Example Shop (<chat@shop.example>) escribió:", "El 28 nov 2026, a las 10:12, " + shop + " escribió:", "El 28/11/26 a las 10:12, Example Shop escribió:",
		[4]string{"De", "Enviado", "Para", "Asunto"}, "-----Mensaje original-----", "Enviado desde mi iPhone", "La azul, por favor.", "¿Podrían enviarla el lunes?\n\nUn saludo,\nAna"},
	"it": {"Il giorno sab 28 nov 2026 alle ore 10:12 " + shop + " ha scritto:", "Il giorno 28 nov 2026, alle ore 10:12, " + shop + " ha scritto:", "Il 28/11/26 10:12, Example Shop ha scritto:",
		[4]string{"Da", "Inviato", "A", "Oggetto"}, "-----Messaggio originale-----", "Inviato da iPhone", "Quella blu, per favore.", "Potete spedirla lunedì?\n\nCordiali saluti\nAna"},
	"pt": {"Em sáb., 28 de nov. de 2026 às 10:12, " + shop + " escreveu:", "No dia 28 de nov. de 2026, às 10:12, " + shop + " escreveu:", "Em 28/11/2026 10:12, Example Shop escreveu:",
		[4]string{"De", "Enviada em", "Para", "Assunto"}, "-----Mensagem original-----", "Enviado do meu iPhone", "A azul, por favor.", "Podem enviá-la na segunda-feira?\n\nObrigada\nAna"},
	"nl": {"Op za 28 nov 2026 om 10:12 schreef " + shop + ":", "Op 28 nov 2026, om 10:12 heeft " + shop + " het volgende geschreven:", "Op 28-11-2026 om 10:12 schreef Example Shop:",
		[4]string{"Van", "Verzonden", "Aan", "Onderwerp"}, "-----Oorspronkelijk bericht-----", "Verstuurd vanaf mijn iPhone", "De blauwe graag.", "Kunt u hem maandag versturen?\n\nMet vriendelijke groet\nAna"},
	"pl": {"sob., 28 lis 2026 o 10:12 " + shop + " napisał(a):", "Wiadomość napisana przez " + shop + " w dniu 28.11.2026, o godz. 10:12:", "W dniu 28.11.2026 o 10:12, Example Shop pisze:",
		[4]string{"Od", "Wysłane", "Do", "Temat"}, "-----Wiadomość oryginalna-----", "Wysłane z iPhone’a", "Niebieską, proszę.", "Czy mogą ją Państwo wysłać w poniedziałek?\n\nPozdrawiam\nAna"},
	"sv": {"Den lör 28 nov. 2026 kl 10:12 skrev " + shop + ":", "28 nov. 2026 kl. 10:12 skrev " + shop + ":", "Den 2026-11-28 kl. 10:12, skrev Example Shop:",
		[4]string{"Från", "Skickat", "Till", "Ämne"}, "-----Ursprungligt meddelande-----", "Skickat från min iPhone", "Den blå, tack.", "Kan ni skicka den på måndag?\n\nVänliga hälsningar\nAna"},
	"tr": {"Example Shop <chat@shop.example>, 28 Kas 2026 Cmt, 10:12 tarihinde şunu yazdı:", shop + " şunları yazdı (28 Kas 2026 10:12):", "28.11.2026 10:12 tarihinde Example Shop yazdı:",
		[4]string{"Kimden", "Gönderildi", "Kime", "Konu"}, "-----Özgün İleti-----", "iPhone’umdan gönderildi", "Mavi olanı lütfen.", "Pazartesi gönderebilir misiniz?\n\nSaygılarımla\nAna"},
	"ru": {"сб, 28 нояб. 2026 г. в 10:12, " + shop + ":", "28 нояб. 2026 г., в 10:12, " + shop + " написал(а):", "28.11.2026 10:12, Example Shop пишет:",
		[4]string{"От", "Отправлено", "Кому", "Тема"}, "-----Исходное сообщение-----", "Отправлено с iPhone", "Синюю, пожалуйста.", "Сможете отправить в понедельник?\n\nС уважением\nАна"},
	"uk": {"сб, 28 лист. 2026 р. о 10:12 " + shop + " пише:", "28 лист. 2026 р. о 10:12 " + shop + " написав(ла):", "28.11.2026 10:12, Example Shop пише:",
		[4]string{"Від", "Надіслано", "Кому", "Тема"}, "-----Оригінальне повідомлення-----", "Надіслано з iPhone", "Синю, будь ласка.", "Чи зможете надіслати в понеділок?\n\nЗ повагою\nАна"},
	"ja": {"2026年11月28日(土) 10:12 " + shop + ":", "2026/11/28 10:12、" + shop + "のメール:", "On 2026/11/28 10:12, Example Shop wrote:",
		[4]string{"差出人", "送信日時", "宛先", "件名"}, "-----元のメッセージ-----", "iPhoneから送信", "青いのをお願いします。", "月曜日に送っていただけますか？\n\nよろしくお願いいたします。\nアナ"},
	"zh": {"Example Shop <chat@shop.example> 于2026年11月28日周六 10:12写道：", "在 2026年11月28日，10:12，" + shop + " 写道：", "在 2026/11/28 10:12, Example Shop 写道:",
		[4]string{"发件人", "发送时间", "收件人", "主题"}, "-----原始邮件-----", "发自我的iPhone", "请给我蓝色的。", "可以星期一寄出吗？\n\n谢谢\n安娜"},
	"ar": {"في السبت، 28 نوفمبر 2026 في 10:12 ص تمت كتابة ما يلي بواسطة Example Shop <chat@shop.example>:", "في ٢٨ نوفمبر ٢٠٢٦، الساعة ١٠:١٢ ص، كتب Example Shop <chat@shop.example>:", "في 28/11/2026 10:12، كتب Example Shop:",
		[4]string{"من", "تم الإرسال", "إلى", "الموضوع"}, "-----الرسالة الأصلية-----", "أُرسلت من الـ iPhone", "الزرقاء من فضلك.", "هل يمكنكم إرسالها يوم الاثنين؟\n\nمع الشكر\nآنا"},
	"he": {"\u202bבתאריך שבת, 28 בנוב׳ 2026 ב-10:12 מאת \u202aExample Shop\u202c\u200f <\u202achat@shop.example\u202c\u200f>:\u202c", "ב־28 בנוב׳ 2026, בשעה 10:12, Example Shop <chat@shop.example> כתב/ה:", "ב-28/11/2026 10:12, Example Shop כתב/ה:",
		[4]string{"מאת", "נשלח", "אל", "נושא"}, "-----הודעה מקורית-----", "נשלח מה-iPhone שלי", "הכחולה בבקשה.", "תוכלו לשלוח אותה ביום שני?\n\nבברכה\nאנה"},
}

func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

// wrapped breaks a text as mail programs do.
func wrapped(text string) string {
	line := 0
	var b strings.Builder
	for i, word := range strings.Split(text, " ") {
		if i > 0 && line+len(word) > 76 {
			b.WriteString("\n")
			line = 0
		} else if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(word)
		line += len(word) + 1
	}
	return b.String()
}

func (t language) block(bold bool) string {
	var lines []string
	for i, value := range []string{shop, "Saturday, 28 November 2026 10:12", "ana@example.com", "Example Shop has answered you"} {
		label := t.header[i] + ":"
		if bold {
			label = "*" + label + "*"
		}
		lines = append(lines, label+" "+value)
	}
	return strings.Join(lines, "\n")
}

func paragraphs(text, tag string) string {
	return "<" + tag + ">" + strings.ReplaceAll(strings.ReplaceAll(text, "\n\n", "</"+tag+"><"+tag+"><br></"+tag+"><"+tag+">"), "\n", "<br>") + "</" + tag + ">"
}

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// shapes of every language.
func (t language) shapes() []shape {
	own := t.own + "\n\n" + t.more
	html := func(body string) string {
		return "<html><head><style>p{margin:0}</style></head><body>" + body + "</body></html>"
	}
	page := "<p>Support wrote:</p><p>" + saidRaw + "</p>"
	return []shape{
		{"gmail", own + "\n\n" + wrapped(t.gmail) + "\n\n" + quoted(said) + "\n>\n", false, false, own},
		{"gmail with a signature", own + "\n\n-- \nAna Example\nExample Street 1\n+49 30 123456\n\n" + wrapped(t.gmail) + "\n\n" + quoted(said) + "\n", false, false, own},
		{"iphone", own + "\n\n" + t.phone + "\n\n" + quoted(t.apple+"\n> \n"+said) + "\n", false, false, own},
		{"apple mail", own + "\n\n> " + t.apple + "\n> \n" + quoted(said) + "\n", false, false, own},
		{"apple mail, quote without marks above", own + "\n\n" + t.apple + "\n\n" + quoted(said), false, false, own},
		{"thunderbird below", t.thunderbird + "\n" + quoted(said) + "\n\n" + own, false, false, own},
		{"thunderbird between", t.thunderbird + "\n" + quoted("The lamp is in stock, in blue and in red.") + "\n\n" + t.own + "\n\n" + quoted("Which one would you like?") + "\n\n" + t.more + "\n\n" + quoted("-- \nSupport") + "\n", false, false, own},
		{"outlook", own + "\n\n" + t.block(false) + "\n\n" + said + "\n", false, false, own},
		{"outlook web", own + "\n________________________________\n" + t.block(false) + "\n\n" + said, false, false, own},
		{"outlook mobile", own + "\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\n" + t.block(true) + "\n\n" + said, false, false, own},
		{"outlook, old", own + "\n\n" + t.original + "\n" + t.block(false) + "\n\n" + said, false, false, own},
		{"gmail, html", html(`<div dir="ltr">` + paragraphs(own, "div") + `</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">` + escaped(t.gmail) + `<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">` + page + `</blockquote></div>`), true, false, own},
		{"apple, html", html(paragraphs(own, "div") + `<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">` + t.phone + `</div><div dir="ltr"><br><blockquote type="cite">` + escaped(t.apple) + `<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">` + page + `</div></blockquote>`), true, false, own},
		{"outlook, html", html(`<div class="WordSection1"><p class="MsoNormal">` + strings.ReplaceAll(strings.ReplaceAll(own, "\n\n", `</p><p class="MsoNormal"><o:p>&nbsp;</o:p></p><p class="MsoNormal">`), "\n", "<br>") + `</p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class="MsoNormal"><b>` +
			strings.ReplaceAll(escaped(t.block(false)), "\n", "<br>") + `</b></p></div>` + page + `</div>`), true, false, own},
		{"outlook web, html", html(`<div class="elementToProof">` + paragraphs(own, "div") + `</div><div id="Signature"><p>Ana Example</p></div><div id="appendonsend"></div><hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr"><font>` + strings.ReplaceAll(escaped(t.block(false)), "\n", "<br>") + `</font></div>` + page), true, false, own},
		{"thunderbird, html", html(`<div class="moz-cite-prefix">` + escaped(t.thunderbird) + `<br></div><blockquote type="cite" cite="mid:x@shop.example">` + page + `</blockquote><p>` + strings.ReplaceAll(strings.ReplaceAll(own, "\n\n", "</p><p>"), "\n", "<br>") + `</p><pre class="moz-signature" cols="72">Ana Example</pre>`), true, false, own},
	}
}

// allShapes is every shape.
func allShapes() (all []shape) {
	for name, t := range languages {
		for _, s := range t.shapes() {
			s.name = name + "/" + s.name
			all = append(all, s)
		}
	}
	return append(all, special...)
}

func (s *shape) read() string {
	text := s.text
	if s.html {
		text = quote.Plain(text)
	}
	if s.flow {
		text = quote.Flowed(text, false)
	}
	return quote.Text(text)
}

// TestShapes: a second corpus, by somebody who did not know the first.
func TestShapes(t *testing.T) {
	all := allShapes()
	exact := 0
	for _, s := range all {
		got := s.read()
		if word := firstMissing(s.want, got); word != "" {
			t.Errorf("%s: %q is lost:\n%s", s.name, word, got)
		}
		if got == s.want {
			exact++
			continue
		}
		t.Logf("%s is not exact:\n%s\nwant:\n%s\nof:\n%s", s.name, got, s.want, s.text)
	}
	t.Logf("%d of %d are exact", exact, len(all))
	if 100*exact < leastExact*len(all) {
		t.Errorf("%d of %d are exact", exact, len(all))
	}
}
