package quote

import (
	"regexp"
	"strings"
)

// The words by which mail programs are recognised, in the languages that relay's own e-mails
// have and those of their neighbours.

// wrote are the words for "wrote".
var wrote = []string{"wrote", "writes", "schrieb", "geschrieben", "a écrit", "écrit", "escribió", "escribio", "ha scritto", "scritto", "escreveu", "schreef", "geschreven", "heeft geschreven",
	"napisał", "napisała", "napisał(a)", "pisze", "skrev", "kirjoitti", "yazdı", "yazmış", "şunları yazdı", "пишет", "написал", "написала", "написал(а)", "пише", "написав", "написала", "написав(ла)",
	"napsal", "napsala", "napsal(a)", "píše", "napísal", "napisao", "írta", "a scris", "έγραψε", "написа", "が書きました", "は書きました", "のメール", "写道", "寫道", "님이 작성", "작성", "كتب", "كتبت", "כתב", "כתבה", "כתב/ה", "‫כתב"}

// sent are the words for "sent" and "get" in the footers of mail programs.
var sent = []string{"sent", "get", "gesendet", "gesandt", "verschickt", "holen sie sich", "envoyé", "obtenez", "télécharger", "enviado", "obtener", "obtén", "inviato", "ottieni", "scarica", "enviada", "obter", "obtenha", "verzonden", "verstuurd", "gestuurd", "download", "ontvang",
	"wysłano", "wysłane", "wysłana", "pobierz", "skickat", "skickades", "hämta", "sendt", "lähetetty", "gönderildi", "gönderilmiştir", "edinin", "отправлено", "получить", "надіслано", "odesláno", "odoslané", "送信", "から送信", "发自", "發自", "发送自", "来自", "获取", "أرسلت", "أُرسلت", "مرسل", "احصل", "נשלח", "השג"}

// devices are what e-mails are sent with.
var devices = []string{"iphone", "ipad", "ipod", "mac", "android", "galaxy", "samsung", "huawei", "honor", "xiaomi", "redmi", "pixel", "nokia", "oneplus", "oppo", "vivo", "motorola", "blackberry", "fairphone", "windows", "outlook", "yahoo", "gmail",
	"proton ?mail", "fastmail", "thunderbird", "k-9", "mail\\.ru", "yandex", "яндекс", "почт", "gmx", "web\\.de", "t-online", "freenet", "zoho", "tutanota", "tuta", "spark", "airmail", "foxmail", "qq邮箱", "qq", "网易", "邮箱大师", "aquamail", "bluemail", "mobile", "mobiltelefon", "smartphone",
	"telefon", "téléphone", "phone", "portable", "móvil", "movil", "celular", "dispositivo", "tablet", "handy", "telefoon", "mobiel", "mobil", "cellulare", "телефон", "手机", "手機", "الهاتف", "جوال", "آيفون", "אייפון", "הנייד", "سامسونج", "mail for", "mail para", "mail pour"}

func alternatives(words []string, quoted bool) string {
	list := make([]string, len(words))
	for i, word := range words {
		if list[i] = word; quoted {
			list[i] = regexp.QuoteMeta(word)
		}
	}
	return "(?:" + strings.Join(list, "|") + ")"
}

var (
	wroteWord  = regexp.MustCompile(`(?i)(?:^|[^\pL])` + alternatives(wrote, true) + `|` + alternatives([]string{"が書きました", "のメール", "写道", "寫道", "כתב"}, true))
	sentWord   = regexp.MustCompile(`(?i)(?:^|[^\pL])` + alternatives(sent, true) + `|送信|发自|發自`)
	deviceWord = regexp.MustCompile(`(?i)` + alternatives(devices, false))

	// A day has a year, or is written in numbers.
	dayIn         = regexp.MustCompile(`(?:^|\D)(?:19|20)\d\d(?:\D|$)|\d{1,2}[./-]\d{1,2}[./-]\d{2}(?:\D|$)|[٠-٩]{4}`)
	hourIn        = regexp.MustCompile(`\d{1,2}\s?[:.h]\s?\d{2}(?:\D|$)|[٠-٩]{1,2}:[٠-٩]{2}`)
	beginsWithDay = regexp.MustCompile(`^\W*\d{1,4}[./年-]`)
	endOfIntro    = regexp.MustCompile(`[:：]\s*[*_]*$|\s-{2,}$`)
	beginsIntro   = regexp.MustCompile(`(?i)^[-\s*"'«„“]*(?:(?:on|am|le|el|il|em|op|dnia|w dniu|den|dne|dňa|la|a|på|ma|στις|le|den)\s.*\d|\d{1,4}[./年\-\s]|(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|mié|jue|vie|sáb|dom|gio|sab|seg|ter|qua|qui|sex|pon|wt|śr|czw|pt|sob|niedz|пн|вт|ср|чт|пт|сб|вс|нд|pzt|sal|çar|per|cum|paz|ma|wo|vr|za|zo|tis|ons|tor|fre|lör|sön)[\pL.]*,?\s.*\d|ב|في|بتاريخ)`)

	originalLine = regexp.MustCompile(`(?i)^\**[-_=\s]*(?:` + strings.Join([]string{"original (?:message|e-?mail|appointment)", "reply message", "urspr(?:ü|ue)ngliche (?:nachricht|e-?mail|mail)", "original-?nachricht", "message (?:d['’ ]?)?origin(?:e|al)", "courriel original", "mensaje original", "mensagem original",
		"messaggio originale", "oorspronkelijk bericht", "origineel bericht", "(?:wiadomość oryginalna|oryginalna wiadomość|treść oryginalnej wiadomości)", "исходное сообщение", "(?:оригинальное|первоначальное) сообщение", "(?:оригінальне|початкове) повідомлення", "(?:özgün|orijinal|asıl) (?:[iİ]leti|mesaj|e-?posta)",
		"původní (?:zpráva|e-?mail)", "pôvodná správa", "ursprungligt meddelande", "opprinnelig melding", "oprindelig meddelelse", "alkuperäinen viesti", "元のメッセージ", "(?:原始|原)(?:邮件|郵件|信件)", "回复的原邮件", "원본 (?:메시지|메일)", "الرسالة الأصلية", "رسالة أصلية", "הודעה מקורית"}, "|") + `)\**[-_=\s]*:?[-_=\s]*$`)
	forwardLine = regexp.MustCompile(`(?i)^\**(?:-{2,}|_{2,}|begin|anfang|début|inicio|inizio|início|begin van|)[-_\s]*(?:der |du |del |do |van )?(?:` + strings.Join([]string{"forwarded (?:message|by)", "weitergeleitete[rn]? nachricht", "message (?:transféré|réexpédié)", "mensaje reenviado", "messaggio inoltrato",
		"mensagem (?:encaminhada|reencaminhada)", "doorgestuurd bericht", "(?:przekazana wiadomość|wiadomość przekazana dalej)", "(?:пересылаемое|пересланное) сообщение", "переслане повідомлення", "iletilen (?:ileti|mesaj)", "yönlendirilmiş (?:ileti|mesaj)", "vidarebefordrat meddelande", "přeposlaná zpráva",
		"転送(?:された)?メッセージ", "转发(?:的)?邮件", "转发邮件信息", "轉寄郵件", "رسالة معاد توجيهها", "הודעה שהועברה"}, "|") + `)\**[-_\s]*:?[-_\s]*$`)
	replyAbove = regexp.MustCompile(`(?i)(?:reply|respond|type|write)[^.]{0,30} above this line|antwort[^.]{0,40} (?:oberhalb|über) dieser (?:zeile|linie)|répond[^.]{0,40} au-dessus de cette ligne|respond[^.]{0,40} encima de esta línea`)
	// elsewhere: the author says that answers stand in the text that follows.
	elsewhere = regexp.MustCompile(`(?i)\b(?:below|inline|in-line|in (?:red|blue|green|bold|colou?r))\b|(?:^|[^\pL])(?:siehe unten|weiter unten|unten|im text|in rot|in blau|ci-dessous|ci-après|en rouge|en bleu|más abajo|abajo|en rojo|qui sotto|di seguito|in rosso|abaixo|em vermelho|hieronder|in het rood|poniżej|na czerwono|nedan|i rött|aşağıda|kırmızı|ниже|красным|нижче)(?:$|[^\pL])|以下に|下記|下方|如下|红色|أدناه|למטה|באדום`)
	ruledLine = regexp.MustCompile(`^(?:[-_=*⎯—─]\s?){5,}$`)
	virusLine = regexp.MustCompile(`(?i)(?:virus-?free|virenfrei|sans virus|sin virus|libre de virus|privo di virus|sem vírus|virusvrij|без вирусов)[^\n]{0,80}(?:avast|avg|norton|www\.)|(?:checked|scanned) for viruses by|auf viren geprüft`)
	listLine  = regexp.MustCompile(`(?i)mailing list|mailingliste|liste de diffusion`)
)

// The fields of the header that mail programs put before a quoted e-mail.
var headerWords = map[string][]string{
	"from":    {"from", "von", "de", "da", "van", "od", "från", "fra", "lähettäjä", "от", "от кого", "від", "kimden", "gönderen", "feladó", "差出人", "送信者", "发件人", "寄件者", "寄件人", "보낸 사람", "من", "מאת", "expéditeur", "mittente", "remitente", "remetente", "absender", "afzender", "nadawca", "odesílatel"},
	"date":    {"sent", "date", "gesendet", "datum", "envoyé", "date d’envoi", "date d'envoi", "enviado", "enviado el", "enviada em", "enviado em", "enviada", "fecha", "data", "data de envio", "inviato", "verzonden", "wysłane", "wysłano", "skickat", "sendt", "lähetetty", "отправлено", "дата", "надіслано", "gönderildi", "gönderilme tarihi", "tarih", "odesláno", "elküldve", "日時", "送信日時", "日付", "发送时间", "发送日期", "日期", "寄件日期", "時間", "时间", "날짜", "보낸 날짜", "التاريخ", "تاريخ", "تم الإرسال", "أُرسلت", "אرسلت", "נשלח", "תאריך"},
	"to":      {"to", "an", "à", "a", "para", "per", "aan", "do", "till", "til", "vastaanottaja", "кому", "kime", "alıcı", "komu", "címzett", "宛先", "收件人", "收件者", "받는 사람", "إلى", "אל", "destinataire", "destinatario", "destinatário", "empfänger", "cc", "kopie", "抄送", "copia", "cópia"},
	"subject": {"subject", "betreff", "objet", "asunto", "oggetto", "assunto", "onderwerp", "temat", "ämne", "emne", "aihe", "тема", "konu", "předmět", "tárgy", "件名", "主题", "主旨", "主題", "제목", "الموضوع", "נושא", "sujet"},
}

var (
	headerKinds = map[string]string{}
	headerField = func() *regexp.Regexp {
		var all []string
		for kind, words := range headerWords {
			for _, word := range words {
				headerKinds[word] = kind
				all = append(all, word)
			}
		}
		label := alternatives(all, true)
		label = "(" + strings.TrimPrefix(label, "(?:")
		return regexp.MustCompile(`(?i)^[*_|\s]*` + label + `\s*[*_]*\s*(?:[:：]|\|)`)
	}()
)

// The notices of companies: how they begin, and what they are about.
var (
	noticeBegin = regexp.MustCompile(`(?i)^[\W_]*(?:confidential|disclaimer|legal notice|important notice|privileged|this (?:e-?mail|message|communication|transmission|electronic)|the (?:information|contents?)|any views|if you (?:are not|have received)|please (?:consider|note)|diese (?:e-?mail|nachricht|mitteilung)|der inhalt|die(?:se)? information|vertraulich|hinweis|haftungsausschluss|` +
		`ce (?:message|courriel|mail|courrier|e-mail)|cet e-?mail|les informations|avis de confidentialité|confidentialit|este (?:mensaje|correo|e-?mail)|esta (?:mensagem|comunicaci)|aviso|la información|a informação|questo (?:messaggio|documento)|questa (?:e-?mail|comunicazione)|il presente|le informazioni|avvertenz|dit (?:bericht|e-?mail)|deze (?:e-?mail|mail)|de informatie|` +
		`(?:ta|niniejsza) wiadomość|treść tej|это (?:сообщение|письмо)|данное|настоящее|цей лист|це повідомлення|bu (?:e-?posta|mesaj|ileti)|detta (?:e-?mail|meddelande|mejl)|この(?:電子)?メール|本メール|本(?:邮件|郵件)|此(?:邮件|郵件)|هذه الرسالة|هذا البريد|הודעה זו|דוא"ל זה)`)
	noticeWord = regexp.MustCompile(`(?i)confiden|privileged|intended (?:only|solely|recipient|for)|unauthori[sz]ed|vertraul|irrtümlich|bestimmungsgemäß|destinat|réservé|reservad|riservat|vertrouwelijk|geadresseerde|poufn|adresat|конфиденц|конфіденц|gizli|konfidenti|機密|秘密|机密|保密|سري|حصري|חסוי|סודי|legally`)
)
