package quote

import "strings"

// The words by which mail programs are recognised, in the languages of relay's own e-mails and
// of their neighbours. All are in small letters.

// small is a text in small letters, so that Turkish, which has two kinds of "i", compares too.
func small(text string) string {
	text = strings.ToLower(text)
	if strings.ContainsAny(text, "ı\u0307") {
		text = strings.NewReplacer("ı", "i", "\u0307", "").Replace(text)
	}
	return text
}

// set makes a set of the words of a text.
func set(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		for _, word := range strings.Fields(small(text)) {
			out[word] = true
		}
	}
	return out
}

// phrases are the parts of texts between "|".
func phrases(texts ...string) (out []string) {
	for _, text := range texts {
		for _, phrase := range strings.Split(small(text), "|") {
			out = append(out, strings.TrimSpace(phrase))
		}
	}
	return out
}

func phraseSet(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, phrase := range phrases(texts...) {
		out[phrase] = true
	}
	return out
}

// verbs are the words for "wrote".
var verbs = set(
	"wrote writes", "schrieb schreibt schrieben geschrieben", "écrit", "escribió escribio escribe escribiste", "scritto scrive", "escreveu escreve",
	"schreef schrijft geschreven", "pisze napisał napisała napisał(a napisali", "пишет написал написала написал(а писал писала",
	"пише написав написала написав(ла написав/ла писав", "yazdı yazmış", "كتب كتبت كتب/كتبت كتابة", "כתב כתבה כתב/ה כתב(ה",
	"skrev skrivet skrevet", "kirjoitti", "napsal napsala napsal(a", "napísal napísala napísal(a", "írta", "scris", "έγραψε", "написа", "napisao napisala",
	"escriure", "menulis", "نوشت", "viết",
)

// verbsWithin are those of languages that do not part words.
var verbsWithin = []string{"のメール", "のメッセージ", "書きました", "書いた", "書き込み", "写道", "寫道", "写到", "寫到", "님이 작성", "작성:", "เขียนว่า"}

// openers are the words that an introduction begins with, if it does not begin with the date.
var openers = set(
	"on am le el il em no op w dnia dniu в у den dne dna den la data на στις pada vào pe",
	"at um à a alle às om o godz date datum fecha data em: tarihinde tarihi",
	"في بتاريخ يوم בתאריך ב ביום 在 于 於 ที่",
	"mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday",
	"mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonntag",
	"lun mar mer jeu ven sam dim lundi mardi mercredi jeudi vendredi samedi dimanche",
	"mié jue vie sáb dom lunes martes miércoles jueves viernes sábado domingo",
	"gio sab lunedì martedì mercoledì giovedì venerdì sabato domenica",
	"seg ter qua qui sex segunda terça quarta quinta sexta segunda-feira terça-feira quarta-feira quinta-feira sexta-feira",
	"ma di wo do vr za zo maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
	"pon wt śr czw pt sob niedz poniedziałek wtorek środa czwartek piątek sobota niedziela",
	"пн вт ср чт пт сб вс понедельник вторник среда четверг пятница суббота воскресенье",
	"пн вт ср чт пт сб нд понеділок вівторок середа четвер п'ятниця субота неділя",
	"pzt sal çar per cum cmt paz pazartesi salı çarşamba perşembe cuma cumartesi pazar",
	"mån tis ons tors fre lör sön måndag tisdag onsdag torsdag fredag lördag söndag",
)

// starters are the openers that begin an introduction, as they are written.
var starters = func() map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields("On Am Le El Il Em Op W Dnia В Den Dne At") {
		out[word] = true
	}
	return out
}()

// connectors are the small words between the date, the name and the verb.
var connectors = set(
	"on at in am um uhr le la les à a h el los las de del il alle ore ora em às as no dia op om het uur w o godz dnia dniu в у г о от від ч час год",
	"kl klo heeft den d. das der die dem van von vom zu zum du des da do dos e y und and & et i и en und tarihinde tarihli günü saat şunu şunları tarafından",
	"napisana użytkownik odesílatel odosielateľ odosielatel χρήστης ο π.μ μ.μ by par por przez durch door dem",
	"via per pm a.m p.m ap pm nachm vorm m p a.m. p.m. gmt utc cet cest est pst edt ha hat have has je est été va a: hr",
	"you sie du ihr vous tu usted ustedes tú vostè lei voi você u jij jullie pan pani ви вы ты ти siz sen ni du",
	"giorno giorni data date following folgendes folgende volgende siguiente seguente seguinte ezt időpont email e-mail mail an à: to: from",
	"mr mrs ms herr frau m. mme bin ibn al el- ter ten te 'wrote", "mon tue wed thu fri sat sun",
)

// label is what a line of a quoted header says.
type label int

const (
	labelNone label = iota
	labelFrom
	labelDate
	labelTo
	labelSubject
	labelOther
)

var labels = func() map[string]label {
	out := map[string]label{}
	for kind, list := range map[label][]string{
		labelFrom: phrases("from|von|absender|de|expéditeur|remitente|desde|da|mittente|remetente|van|afzender|od|nadawca|от|от кого|отправитель|від|від кого|відправник",
			"kimden|gönderen|من|المرسل|מאת|差出人|送信者|送信元|from:|发件人|寄件者|寄件人|發件人|från|fra|lähettäjä|odesílatel|feladó|de la|από|보낸 사람|보낸사람|发信人|pengirim"),
		labelDate: phrases("sent|date|sent at|gesendet|datum|gesendet am|envoyé|envoyé le|date d'envoi|enviado|enviado el|enviado a|fecha|inviato|inviata|data|data invio|enviada em|enviado em",
			"enviada|verzonden|datum/tijd|wysłano|wysłane|data wysłania|отправлено|дата|дата отправки|надіслано|відправлено|дата надсилання|gönderildi|tarih|gönderme tarihi|gönderim tarihi",
			"التاريخ|تاريخ الإرسال|أرسلت|تم الإرسال|مرسل|תאריך|נשלח|送信日時|送信日|日付|日時|发送时间|发送日期|日期|時間|时间|發送時間|寄件日期|傳送時間",
			"skickat|skickades|sendt|dato|lähetetty|päivämäärä|päiväys|odesláno|odoslané|küldve|dátum|trimis|data:|ημερομηνία|στάλθηκε|보낸 날짜|날짜|보낸날짜"),
		labelTo: phrases("to|an|empfänger|à|destinataire|pour|para|destinatario|a|aan|do|odbiorca|кому|получатель|одержувач|kime|alıcı|إلى|الى|المرسل إليه|אל|לכבוד|宛先|收件人|收件者",
			"till|til|vastaanottaja|komu|címzett|către|προς|받는 사람|받는사람"),
		labelSubject: phrases("subject|betreff|objet|sujet|asunto|oggetto|assunto|onderwerp|temat|тема|konu|الموضوع|موضوع|נושא|件名|题名|主题|主題|主旨|ämne|emne|aihe|předmět|predmet|tárgy",
			"subiect|θέμα|제목|title"),
		labelOther: phrases("cc|bcc|cci|kopie|copie|copie à|copia|con copia|kopia|копия|копія|bilgi|نسخة|نسخة إلى|עותק|抄送|副本|抄送人|kopi|kopio|másolat|참조|reply to|reply-to|antwort an",
			"répondre à|responder a|rispondi a|responder a:|importance|wichtigkeit|priority|priorität|attachments|anlagen|organisation|organization|importância|prioridad|reply_to"),
	} {
		for _, name := range list {
			out[name] = kind
		}
	}
	return out
}()

// separators stand above a message that is quoted or sent on.
var separators = phraseSet(
	"original message|original|original email|original e-mail|original mail|reply message|replied message|forwarded message|forwarded mail|begin forwarded message|fwd|forwarded email",
	"ursprüngliche nachricht|originalnachricht|original-nachricht|original nachricht|ursprüngliche mail|ursprüngliche e-mail|weitergeleitete nachricht|anfang der weitergeleiteten nachricht",
	"weitergeleitete mail|weitergeleitete e-mail|original-mail|beginn der weitergeleiteten nachricht",
	"message d'origine|message d’origine|message original|message initial|message original envoyé|courriel original|message transféré|message transmis|début du message réexpédié|début du message transféré",
	"e-mail d'origine|mail d'origine|message réexpédié",
	"mensaje original|mensaje reenviado|mensaje original enviado|inicio del mensaje reenviado|correo original",
	"messaggio originale|messaggio inoltrato|inizio messaggio inoltrato|messaggio originario|messaggio inoltrato da|inizio del messaggio inoltrato",
	"mensagem original|mensagem encaminhada|início da mensagem encaminhada|mensagem reencaminhada|início da mensagem reencaminhada",
	"oorspronkelijk bericht|origineel bericht|oorspronkelijk e-mailbericht|doorgestuurd bericht|begin doorgestuurd bericht",
	"wiadomość oryginalna|oryginalna wiadomość|treść oryginalnej wiadomości|wiadomość przekazana dalej|przekazana wiadomość|początek przekazywanej wiadomości|wiadomość przekazana|wiadomość pierwotna",
	"исходное сообщение|оригинальное сообщение|пересылаемое сообщение|пересланное сообщение|переадресованное сообщение|начало переадресованного сообщения|перенаправленное сообщение|исходное письмо",
	"вихідне повідомлення|оригінальне повідомлення|початкове повідомлення|переслане повідомлення|пересилане повідомлення|початок переадресованого повідомлення",
	"orijinal mesaj|orijinal ileti|özgün ileti|özgün mesaj|orjinal mesaj|iletilen ileti|yönlendirilmiş ileti|yönlendirilen ileti|iletilen ileti başlangıcı|forwarded message başlangıcı",
	"رسالة أصلية|الرسالة الأصلية|الرسالة الاصلية|رسالة معاد توجيهها|رسالة مُعاد توجيهها|بداية الرسالة المعاد توجيهها",
	"הודעה מקורית|ההודעה המקורית|הודעה שהועברה|תחילת ההודעה שהועברה",
	"元のメッセージ|元のメール|オリジナルメッセージ|転送メッセージ|転送されたメッセージ|original message 元のメッセージ",
	"原始邮件|原始郵件|邮件原件|原邮件|原始訊息|回复的原邮件|回复的邮件|转发的邮件|转发邮件|轉寄郵件|已转发邮件|轉寄訊息|已轉寄的郵件|开始转发的邮件|转发邮件信息|下面是转发的邮件|下面是被转发的邮件",
	"ursprungligt meddelande|originalmeddelande|vidarebefordrat meddelande|vidarebefordrat brev|oprindelig meddelelse|videresendt meddelelse|opprinnelig melding|videresendt melding",
	"alkuperäinen viesti|edelleenlähetetty viesti|původní zpráva|původní e-mail|přeposlaná zpráva|eredeti üzenet|továbbított üzenet|mesaj original|mesaj redirecționat|αρχικό μήνυμα|προωθημένο μήνυμα",
	"원본 메시지|전달된 메시지",
)

// markers ask to write above them.
var markers = phrases(
	"reply above this line|please reply above this line|write your reply above this line|please type your reply above this line|type your reply above this line|to reply, write above this line",
	"reply above the line|please write above this line|add your reply above|replies below this line|do not write below this line|please do not write below this line",
	"bitte antworten sie oberhalb dieser|bitte oberhalb dieser|antworten sie oberhalb dieser|bitte über dieser|oberhalb dieser zeile antworten|bitte antworten sie über dieser|antwort oberhalb dieser",
	"répondre au-dessus de cette ligne|répondez au-dessus de cette ligne|veuillez répondre au-dessus de cette ligne|merci de répondre au-dessus de cette ligne|écrivez au-dessus de cette ligne",
	"responda por encima de esta línea|responde por encima de esta línea|escriba su respuesta por encima de esta línea|por favor, escriba su respuesta por encima|por favor responda por encima",
	"rispondi sopra questa riga|rispondere sopra questa|scrivi la tua risposta sopra questa|si prega di rispondere sopra questa|responda acima desta linha|escreva acima desta linha",
	"por favor, responda acima desta linha|digite sua resposta acima desta linha|antwoord boven deze|typ uw antwoord boven deze|schrijf uw antwoord boven deze|plaats uw antwoord boven deze",
	"odpowiedz powyżej tej linii|proszę odpowiadać powyżej tej|prosimy odpowiadać powyżej tej|ответьте выше этой|пишите ответ выше этой|введите ответ выше этой|пожалуйста, отвечайте выше этой",
	"відповідайте вище цього|напишіть відповідь вище цього|svara ovanför den här|skriv ditt svar ovanför|bu satırın üstüne|bu satırın üzerine|yanıtınızı bu satırın üstüne|lütfen bu satırın üstüne",
	"この線より上に|この行より上に|この線の上に|请在此行上方|请在此线上方|請在此行上方|在此行以上回复|اكتب ردك فوق هذا السطر|الرجاء الرد فوق هذا السطر|يرجى الرد أعلى هذا السطر|השב מעל שורה זו|נא להשיב מעל שורה זו|יש להשיב מעל שורה זו",
)

// below are words that send the reader to the quoted text: there are answers in it then, or it
// is what somebody wants to show.
var below = phrases(
	"see below|answers below|comments below|replies below|answered below|responses below|inline|in-line|in the text below|the mail below|the message below|the email below|the e-mail below|forwarded below",
	"within your text|between the lines|for your information|siehe unten|s. unten|siehe weiter unten|siehe unterhalb|zwischen den zeilen|zur kenntnis|zur info|voir ci-dessous|voir plus bas|entre les lignes|pour info",
	"ver abajo|véase abajo|vea abajo|entre líneas|vedi sotto|vedi qui sotto|tra le righe|ver abaixo|veja abaixo|entre linhas|zie onder|zie hieronder|tussen de regels|patrz poniżej|między wierszami",
	"см. ниже|смотрите ниже|див. нижче|дивіться нижче|aşağıya bak|satır aralarında|se nedan|mellan raderna|انظر أدناه|بين السطور|ראה למטה|ראו למטה|בין השורות|下記参照|下記をご覧|インライン|见下文|見下文|见下面|如下文",
)

// answers and places together do that too: "my comments are in red".
var (
	answers = phrases("answer|comment|repl|respon|remark|antwort|anmerk|kommentar|réponse|commentaire|respuesta|comentario|rispost|comment|resposta|antwoord|opmerking|odpowied|komentarz",
		"ответ|комментари|відповід|коментар|cevap|yanıt|yorum|svar|kommentar|الرد|إجاب|تعليق|תשוב|הער|回答|返信|コメント|回复|回覆|答复")
	places = phrases("below|in red|in blue|in green|in bold|in capitals|in between|unten|in rot|in blau|in grün|fett|im text|in ihrem text|ci-dessous|plus bas|en rouge|en bleu|en vert|dans le texte",
		"más abajo|a continuación|en rojo|en azul|en verde|en el texto|di seguito|sotto|in rosso|in blu|nel testo|abaixo|em vermelho|em azul|no texto|hieronder|in het rood|in het blauw|in de tekst",
		"poniżej|na czerwono|na niebiesko|w tekście|w treści|ниже|красным|синим|в тексте|нижче|червоним|синім|у тексті|aşağıda|kırmızı|mavi|metnin|nedan|i rött|i blått|i texten",
		"أدناه|بالأحمر|بالأزرق|في النص|למטה|להלן|באדום|בכחול|以下|下記|赤字|青字|文中|下面|下方|红|紅|蓝|藍|正文")
)
