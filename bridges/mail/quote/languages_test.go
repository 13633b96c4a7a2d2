package quote_test

import "strings"

// tongue is how mail programs write in one language. {a} is an address.
type tongue struct {
	name, own, more, asked string
	gmail, gmailBroken     string // the line above a quote, and how it is broken
	apple, thunderbird     string
	outlook, mobile        string // headers
	separator, forward     string
	footer, getApp         string
}

const address = "ana.example@shop.example"

var tongues = []tongue{
	{"en", "Yes, please send it on Monday.", "And the blue one, too.", "When shall we send it?",
		"On Sat, Nov 28, 2026 at 10:12 AM Ana Example <{a}> wrote:", "On Sat, Nov 28, 2026 at 10:12 AM Ana Example from the shop\n<{a}> wrote:",
		"On Nov 28, 2026, at 10:12 AM, Ana Example <{a}> wrote:", "On 28/11/2026 10:12, Ana Example wrote:",
		"From: Ana Example <{a}>\nSent: Saturday, November 28, 2026 10:12 AM\nTo: Ben Example <ben@customer.example>\nSubject: Your order", "From: Ana Example <{a}>\nDate: 28/11/2026 10:12 (GMT+01:00)\nTo: ben@customer.example\nSubject: Your order",
		"-----Original Message-----", "---------- Forwarded message ---------", "Sent from my iPhone", "Get Outlook for iOS<https://aka.ms/o0ukef>"},
	{"de", "Ja, bitte am Montag schicken.", "Und das blaue auch.", "Wann sollen wir es schicken?",
		"Am Sa., 28. Nov. 2026 um 10:12 Uhr schrieb Ana Example <{a}>:", "Am Sa., 28. Nov. 2026 um 10:12 Uhr schrieb Ana Example <\n{a}>:",
		"Am 28.11.2026 um 10:12 schrieb Ana Example <{a}>:", "Am 28.11.26 um 10:12 schrieb Ana Example:",
		"Von: Ana Example <{a}>\nGesendet: Samstag, 28. November 2026 10:12\nAn: Ben Example <ben@customer.example>\nBetreff: Ihre Bestellung", "Von: Ana Example <{a}>\nDatum: 28.11.26 10:12 (GMT+01:00)\nAn: ben@customer.example\nBetreff: Ihre Bestellung",
		"-----Ursprüngliche Nachricht-----", "-------- Weitergeleitete Nachricht --------", "Von meinem iPhone gesendet", "Holen Sie sich Outlook für iOS<https://aka.ms/o0ukef>"},
	{"fr", "Oui, envoyez-le lundi, s'il vous plaît.", "Et le bleu aussi.", "Quand devons-nous l'envoyer ?",
		"Le sam. 28 nov. 2026 à 10:12, Ana Example <{a}> a écrit :", "Le sam. 28 nov. 2026 à 10:12, Ana Example <{a}> a\nécrit :",
		"Le 28 nov. 2026 à 10:12, Ana Example <{a}> a écrit :", "Le 28/11/2026 à 10:12, Ana Example a écrit :",
		"De : Ana Example <{a}>\nEnvoyé : samedi 28 novembre 2026 10:12\nÀ : Ben Example <ben@customer.example>\nObjet : Votre commande", "De : Ana Example <{a}>\nDate : 28/11/2026 10:12 (GMT+01:00)\nÀ : ben@customer.example\nObjet : Votre commande",
		"-----Message d'origine-----", "---------- Message transféré ---------", "Envoyé de mon iPhone", "Télécharger Outlook pour iOS<https://aka.ms/o0ukef>"},
	{"es", "Sí, envíelo el lunes, por favor.", "Y el azul también.", "¿Cuándo lo enviamos?",
		"El sáb, 28 nov 2026 a las 10:12, Ana Example (<{a}>) escribió:", "El sáb, 28 nov 2026 a las 10:12, Ana Example (<\n{a}>) escribió:",
		"El 28 nov 2026, a las 10:12, Ana Example <{a}> escribió:", "El 28/11/26 a las 10:12, Ana Example escribió:",
		"De: Ana Example <{a}>\nEnviado: sábado, 28 de noviembre de 2026 10:12\nPara: Ben Example <ben@customer.example>\nAsunto: Su pedido", "De: Ana Example <{a}>\nFecha: 28/11/26 10:12 (GMT+01:00)\nA: ben@customer.example\nAsunto: Su pedido",
		"-----Mensaje original-----", "---------- Mensaje reenviado ---------", "Enviado desde mi iPhone", "Obtener Outlook para iOS<https://aka.ms/o0ukef>"},
	{"it", "Sì, mandatelo lunedì, per favore.", "E anche quello blu.", "Quando dobbiamo spedirlo?",
		"Il giorno sab 28 nov 2026 alle ore 10:12 Ana Example <{a}> ha scritto:", "Il giorno sab 28 nov 2026 alle ore 10:12 Ana Example <\n{a}> ha scritto:",
		"Il giorno 28 nov 2026, alle ore 10:12, Ana Example <{a}> ha scritto:", "Il 28/11/2026 10:12, Ana Example ha scritto:",
		"Da: Ana Example <{a}>\nInviato: sabato 28 novembre 2026 10:12\nA: Ben Example <ben@customer.example>\nOggetto: Il suo ordine", "Da: Ana Example <{a}>\nData: 28/11/26 10:12 (GMT+01:00)\nA: ben@customer.example\nOggetto: Il suo ordine",
		"-----Messaggio originale-----", "---------- Messaggio inoltrato ---------", "Inviato da iPhone", "Scarica Outlook per iOS<https://aka.ms/o0ukef>"},
	{"pt", "Sim, enviem na segunda, por favor.", "E o azul também.", "Quando devemos enviar?",
		"Em sáb., 28 de nov. de 2026 às 10:12, Ana Example <{a}> escreveu:", "Em sáb., 28 de nov. de 2026 às 10:12, Ana Example <\n{a}> escreveu:",
		"No dia 28 de nov. de 2026, às 10:12, Ana Example <{a}> escreveu:", "Em 28/11/2026 10:12, Ana Example escreveu:",
		"De: Ana Example <{a}>\nEnviado: sábado, 28 de novembro de 2026 10:12\nPara: Ben Example <ben@customer.example>\nAssunto: O seu pedido", "De: Ana Example <{a}>\nData: 28/11/26 10:12 (GMT+01:00)\nPara: ben@customer.example\nAssunto: O seu pedido",
		"-----Mensagem original-----", "---------- Mensagem encaminhada ---------", "Enviado do meu iPhone", "Obter o Outlook para iOS<https://aka.ms/o0ukef>"},
	{"nl", "Ja, stuur het maandag maar.", "En de blauwe ook.", "Wanneer zullen we het sturen?",
		"Op za 28 nov 2026 om 10:12 schreef Ana Example <{a}>:", "Op za 28 nov 2026 om 10:12 schreef Ana Example <\n{a}>:",
		"Op 28 nov 2026 om 10:12 heeft Ana Example <{a}> het volgende geschreven:", "Op 28-11-2026 om 10:12 schreef Ana Example:",
		"Van: Ana Example <{a}>\nVerzonden: zaterdag 28 november 2026 10:12\nAan: Ben Example <ben@customer.example>\nOnderwerp: Uw bestelling", "Van: Ana Example <{a}>\nDatum: 28-11-26 10:12 (GMT+01:00)\nAan: ben@customer.example\nOnderwerp: Uw bestelling",
		"-----Oorspronkelijk bericht-----", "---------- Doorgestuurd bericht ---------", "Verstuurd vanaf mijn iPhone", "Outlook voor iOS downloaden<https://aka.ms/o0ukef>"},
	{"pl", "Tak, proszę wysłać w poniedziałek.", "I niebieski też.", "Kiedy mamy wysłać?",
		"sob., 28 lis 2026 o 10:12 Ana Example <{a}> napisał(a):", "sob., 28 lis 2026 o 10:12 Ana Example <{a}>\nnapisał(a):",
		"Wiadomość napisana przez Ana Example <{a}> w dniu 28 lis 2026, o godz. 10:12:", "W dniu 28.11.2026 o 10:12, Ana Example pisze:",
		"Od: Ana Example <{a}>\nWysłano: sobota, 28 listopada 2026 10:12\nDo: Ben Example <ben@customer.example>\nTemat: Zamówienie", "Od: Ana Example <{a}>\nData: 28.11.2026 10:12 (GMT+01:00)\nDo: ben@customer.example\nTemat: Zamówienie",
		"-----Wiadomość oryginalna-----", "---------- Wiadomość przekazana dalej ---------", "Wysłane z iPhone'a", "Pobierz program Outlook dla systemu iOS<https://aka.ms/o0ukef>"},
	{"ru", "Да, отправьте в понедельник.", "И синий тоже.", "Когда отправить?",
		"сб, 28 нояб. 2026 г. в 10:12, Ana Example <{a}>:", "сб, 28 нояб. 2026 г. в 10:12, Ana Example\n<{a}>:",
		"28 нояб. 2026 г., в 10:12, Ana Example <{a}> написал(а):", "28.11.2026 10:12, Ana Example пишет:",
		"От: Ana Example <{a}>\nОтправлено: 28 ноября 2026 г. 10:12\nКому: Ben Example <ben@customer.example>\nТема: Ваш заказ", "От: Ana Example <{a}>\nДата: 28.11.2026 10:12 (GMT+03:00)\nКому: ben@customer.example\nТема: Ваш заказ",
		"-----Исходное сообщение-----", "-------- Пересылаемое сообщение --------", "Отправлено с iPhone", "Скачайте Outlook для iOS<https://aka.ms/o0ukef>"},
	{"uk", "Так, надішліть у понеділок.", "І синій теж.", "Коли надіслати?",
		"сб, 28 лист. 2026 р. о 10:12 Ana Example <{a}> пише:", "сб, 28 лист. 2026 р. о 10:12 Ana Example <\n{a}> пише:",
		"28 лист. 2026 р. о 10:12 Ana Example <{a}> написав(ла):", "28.11.2026 10:12, Ana Example пише:",
		"Від: Ana Example <{a}>\nНадіслано: 28 листопада 2026 р. 10:12\nКому: Ben Example <ben@customer.example>\nТема: Ваше замовлення", "Від: Ana Example <{a}>\nДата: 28.11.2026 10:12 (GMT+02:00)\nКому: ben@customer.example\nТема: Ваше замовлення",
		"-----Вихідне повідомлення-----", "---------- Переслане повідомлення ---------", "Надіслано з iPhone", "Отримати Outlook для iOS<https://aka.ms/o0ukef>"},
	{"sv", "Ja, skicka den på måndag.", "Och den blå också.", "När ska vi skicka den?",
		"Den lör 28 nov. 2026 kl 10:12 skrev Ana Example <{a}>:", "Den lör 28 nov. 2026 kl 10:12 skrev Ana Example <\n{a}>:",
		"28 nov. 2026 kl. 10:12 skrev Ana Example <{a}>:", "Den 2026-11-28 kl. 10:12, skrev Ana Example:",
		"Från: Ana Example <{a}>\nSkickat: den 28 november 2026 10:12\nTill: Ben Example <ben@customer.example>\nÄmne: Din beställning", "Från: Ana Example <{a}>\nDatum: 2026-11-28 10:12 (GMT+01:00)\nTill: ben@customer.example\nÄmne: Din beställning",
		"-----Ursprungligt meddelande-----", "---------- Vidarebefordrat meddelande ---------", "Skickat från min iPhone", "Hämta Outlook för iOS<https://aka.ms/o0ukef>"},
	{"tr", "Evet, pazartesi gönderin lütfen.", "Mavi olanı da.", "Ne zaman gönderelim?",
		"Ana Example <{a}>, 28 Kas 2026 Cmt, 10:12 tarihinde şunu yazdı:", "Ana Example <{a}>, 28 Kas 2026 Cmt, 10:12 tarihinde\nşunu yazdı:",
		"Ana Example <{a}> şunları yazdı (28 Kas 2026 10:12):", "28.11.2026 10:12 tarihinde Ana Example yazdı:",
		"Kimden: Ana Example <{a}>\nGönderildi: 28 Kasım 2026 Cumartesi 10:12\nKime: Ben Example <ben@customer.example>\nKonu: Siparişiniz", "Gönderen: Ana Example <{a}>\nTarih: 28.11.2026 10:12 (GMT+03:00)\nAlıcı: ben@customer.example\nKonu: Siparişiniz",
		"-----Özgün İleti-----", "---------- Yönlendirilmiş ileti ---------", "iPhone'umdan gönderildi", "iOS için Outlook'u edinin<https://aka.ms/o0ukef>"},
	{"ja", "はい、月曜日に送ってください。", "青いのもお願いします。", "いつお送りしましょうか。",
		"2026年11月28日(土) 10:12 Ana Example <{a}>:", "2026年11月28日(土) 10:12 Ana Example\n<{a}>:",
		"2026/11/28 10:12、Ana Example <{a}>のメール:", "On 2026/11/28 10:12, Ana Example さんが書きました:",
		"差出人: Ana Example <{a}>\n送信日時: 2026年11月28日 10:12\n宛先: Ben Example <ben@customer.example>\n件名: ご注文", "差出人: Ana Example <{a}>\n日付: 2026/11/28 10:12 (GMT+09:00)\n宛先: ben@customer.example\n件名: ご注文",
		"-----元のメッセージ-----", "---------- 転送メッセージ ---------", "iPhoneから送信", "iOS 版 Outlook を入手<https://aka.ms/o0ukef>"},
	{"zh", "好的，请星期一寄出。", "蓝色的也要。", "什么时候寄出？",
		"Ana Example <{a}> 于2026年11月28日周六 10:12写道：", "Ana Example <{a}>\n于2026年11月28日周六 10:12写道：",
		"在 2026年11月28日，10:12，Ana Example <{a}> 写道：", "在 2026/11/28 10:12, Ana Example 写道:",
		"发件人: Ana Example <{a}>\n发送时间: 2026年11月28日 10:12\n收件人: Ben Example <ben@customer.example>\n主题: 您的订单", "发件人：Ana Example <{a}>\n日期：2026年11月28日 10:12\n收件人：ben@customer.example\n主题：您的订单",
		"-----原始邮件-----", "---------- 转发的邮件 ---------", "发自我的iPhone", "获取 iOS 版 Outlook<https://aka.ms/o0ukef>"},
	{"ar", "نعم، أرسلوه يوم الاثنين.", "والأزرق أيضا.", "متى نرسله؟",
		"في السبت، 28 نوفمبر 2026 في 10:12 ص تمت كتابة ما يلي بواسطة Ana Example <{a}>:", "في السبت، 28 نوفمبر 2026 في 10:12 ص تمت كتابة ما يلي بواسطة Ana Example <\n{a}>:",
		"في 28 نوفمبر 2026، الساعة 10:12، كتب Ana Example <{a}>:", "في 28/11/2026 10:12، كتب Ana Example:",
		"من: Ana Example <{a}>\nتاريخ الإرسال: 28 نوفمبر 2026 10:12\nإلى: Ben Example <ben@customer.example>\nالموضوع: طلبك", "من: Ana Example <{a}>\nالتاريخ: 28/11/2026 10:12\nإلى: ben@customer.example\nالموضوع: طلبك",
		"-----رسالة أصلية-----", "---------- رسالة معاد توجيهها ---------", "أُرسلت من الـ iPhone", "الحصول على Outlook لـ iOS<https://aka.ms/o0ukef>"},
	{"he", "כן, שלחו ביום שני בבקשה.", "וגם את הכחול.", "מתי לשלוח?",
		"\u202bבתאריך שבת, 28 בנוב׳ 2026 ב-10:12 מאת \u202aAna Example\u202c\u200f <\u202a{a}\u202c\u200f>:\u202c", "\u202bבתאריך שבת, 28 בנוב׳ 2026 ב-10:12 מאת \u202aAna Example\u202c\u200f <\u202a\n{a}\u202c\u200f>:\u202c",
		"ב-28 בנוב׳ 2026, בשעה 10:12, Ana Example <{a}> כתב/ה:", "בתאריך 28/11/2026 10:12, Ana Example כתב:",
		"מאת: Ana Example <{a}>\nנשלח: שבת 28 נובמבר 2026 10:12\nאל: Ben Example <ben@customer.example>\nנושא: ההזמנה שלך", "מאת: Ana Example <{a}>\nתאריך: 28/11/2026 10:12\nאל: ben@customer.example\nנושא: ההזמנה שלך",
		"-----הודעה מקורית-----", "---------- הודעה שהועברה ---------", "נשלח מה-iPhone שלי", "קבל את Outlook עבור iOS<https://aka.ms/o0ukef>"},
}

// shapes are how mail programs lay an answer out.
var shapes = []struct {
	name string
	text func(t tongue) string
	own  func(t tongue) string
}{
	{"Gmail, top", func(t tongue) string { return t.own + "\n\n" + t.gmail + "\n\n> " + t.asked + "\n>\n> Ana\n" }, ownOnly},
	{"Gmail, broken", func(t tongue) string { return t.own + "\n\n" + t.gmailBroken + "\n\n> " + t.asked + "\n>\n> Ana\n>\n" }, ownOnly},
	{"Gmail, interleaved", func(t tongue) string {
		return t.gmail + "\n\n> " + t.asked + "\n>\n" + t.own + "\n\n> > " + t.more + "\n>\n> Ana\n\n" + t.more + "\n"
	}, both},
	{"Apple, top", func(t tongue) string {
		return t.own + "\n\n" + t.footer + "\n\n> " + t.apple + "\n> \n> \ufeff" + t.asked + "\n"
	}, ownOnly},
	{"iPhone, intro outside", func(t tongue) string {
		return t.own + "\r\n\r\n" + t.footer + "\r\n\r\n" + t.apple + "\r\n\r\n> " + t.asked + "\r\n> \r\n"
	}, ownOnly},
	{"Thunderbird, bottom", func(t tongue) string {
		return t.thunderbird + "\n> " + t.asked + "\n>\n> -- \n> Ana\n\n" + t.own + "\n\n" + t.more + "\n\n-- \nBen Example\nhttps://customer.example\n"
	}, both},
	{"Outlook, rule and header", func(t tongue) string {
		return t.own + "\n\n" + t.more + "\n\n________________________________\n" + t.outlook + "\n\n" + t.asked + "\n\nAna\n"
	}, both},
	{"Outlook, header alone", func(t tongue) string {
		return t.own + "\r\n\r\n" + t.outlook + "\r\n\r\n" + t.asked + "\r\n"
	}, ownOnly},
	{"Outlook, separator", func(t tongue) string {
		return t.own + "\n\n" + t.separator + "\n" + t.outlook + "\n\n" + t.asked + "\n"
	}, ownOnly},
	{"Outlook mobile", func(t tongue) string {
		return t.own + "\n\n" + t.getApp + "\n________________________________\n" + t.outlook + "\n\n" + t.asked + "\n"
	}, ownOnly},
	{"Samsung", func(t tongue) string {
		return t.own + "\n\n" + t.separator + "\n" + strings.Replace(t.mobile, "\n", " \n", 1) + "\n\n" + t.asked + "\n"
	}, ownOnly},
	{"forwarded, nothing above", func(t tongue) string { return "\n" + t.forward + "\n" + t.outlook + "\n\n" + t.asked + "\n" }, func(t tongue) string {
		return t.forward + "\n" + t.outlook + "\n\n" + t.asked
	}},
	{"forwarded, words above", func(t tongue) string { return t.own + "\n\n" + t.forward + "\n" + t.outlook + "\n\n" + t.asked + "\n" }, ownOnly},
}

func ownOnly(t tongue) string { return t.own }

func both(t tongue) string { return t.own + "\n\n" + t.more }
