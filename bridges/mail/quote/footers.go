package quote

// footer is how a mail program says by what a message was written: words around a device.
type footer struct{ before, after string }

var sentWith = []footer{
	{"sent from", ""}, {"sent via", ""}, {"sent with", ""}, {"sent using", ""}, {"sent by", ""}, {"sent on", ""},
	{"von mein", "gesendet"}, {"von unterwegs", "gesendet"}, {"gesendet von", ""}, {"gesendet mit", ""}, {"gesendet über", ""}, {"mit ", "gesendet"}, {"diese nachricht wurde von", "gesendet"},
	{"diese nachricht wurde mit", "gesendet"}, {"vom ", "gesendet"}, {"verschickt mit", ""}, {"verschickt von", ""},
	{"envoyé de", ""}, {"envoyé depuis", ""}, {"envoyé à partir de", ""}, {"envoyé avec", ""}, {"envoyé par", ""}, {"envoyé via", ""}, {"envoyé d'", ""}, {"provenance :", ""}, {"télécharger", ""},
	{"enviado desde", ""}, {"enviado con", ""}, {"enviado mediante", ""}, {"enviado por", ""}, {"enviado de", ""}, {"enviado do", ""}, {"enviado com", ""}, {"enviado a partir d", ""},
	{"enviado via", ""}, {"enviado através d", ""}, {"enviado pelo", ""}, {"enviada do", ""},
	{"inviato da", ""}, {"inviato con", ""}, {"inviato dal", ""}, {"inviato tramite", ""}, {"inviata da", ""},
	{"verstuurd vanaf", ""}, {"verzonden vanaf", ""}, {"verzonden met", ""}, {"verzonden via", ""}, {"verstuurd via", ""}, {"verstuurd met", ""}, {"verstuurd vanuit", ""}, {"verzonden vanuit", ""},
	{"wysłane z", ""}, {"wysłano z", ""}, {"wysłane przez", ""}, {"wysłano przy użyciu", ""}, {"wysłane za pomocą", ""},
	{"отправлено с", ""}, {"отправлено из", ""}, {"отправлено через", ""}, {"отправлено при помощи", ""}, {"надіслано з", ""}, {"надіслано через", ""}, {"відправлено з", ""}, {"надіслано за допомогою", ""},
	{"", "dan gönderildi"}, {"", "den gönderildi"}, {"", "ile gönderildi"}, {"", "tan gönderildi"}, {"", "ten gönderildi"},
	{"", "から送信"}, {"", "から送信されました"}, {"", "から送信しました"}, {"", "から送信しています"}, {"", "で送信"},
	{"发自", ""}, {"發自", ""}, {"从我的", "发送"}, {"从", "发送"}, {"從我的", "傳送"}, {"從我的", "發送"}, {"由", "发送"}, {"来自", ""}, {"來自", ""}, {"傳送自", ""}, {"發送自", ""}, {"发送自", ""},
	{"أرسلت من", ""}, {"أُرسلت من", ""}, {"تم الإرسال من", ""}, {"مرسل من", ""}, {"تم إرساله من", ""}, {"أُرسل من", ""}, {"أرسل من", ""},
	{"נשלח מה", ""}, {"נשלח מ", ""}, {"נשלח באמצעות", ""},
	{"skickat från", ""}, {"skickat med", ""}, {"skickat via", ""}, {"sendt fra", ""}, {"sendt via", ""}, {"sendt med", ""}, {"lähetetty", ""}, {"odesláno z", ""}, {"odoslané z", ""}, {"", "küldve"},
	{"trimis de pe", ""}, {"στάλθηκε από", ""}, {"εστάλη από", ""}, {"나의", "보냄"}, {"", "보냄"}, {"", "보냈습니다"}, {"dikirim dari", ""}, {"đã gửi từ", ""},
}

// getApp is how they advertise themselves.
var getApp = []footer{
	{"get ", ""}, {"holen sie sich", ""}, {"hol dir", ""}, {"outlook für", "beziehen"}, {"outlook für", "herunterladen"}, {"laden sie", "herunter"}, {"obtenez", ""}, {"obtenir", ""}, {"téléchargez", ""}, {"obtener", ""},
	{"obtén", ""}, {"obtenga", ""}, {"descargar", ""}, {"ottieni", ""}, {"scarica", ""}, {"obter", ""}, {"obtenha", ""}, {"baixar", ""}, {"outlook voor", "downloaden"}, {"download", ""}, {"pobierz", ""}, {"uzyskaj", ""},
	{"скачать", ""}, {"скачайте", ""}, {"получить", ""}, {"отримати", ""}, {"завантажити", ""}, {"завантажте", ""}, {"", "edinin"}, {"", "を入手"}, {"", "を入手する"}, {"获取", ""}, {"取得", ""}, {"下載", ""}, {"下载", ""},
	{"الحصول على", ""}, {"تنزيل", ""}, {"קבל את", ""}, {"הורד את", ""}, {"השג את", ""}, {"hämta", ""}, {"skaffa", ""}, {"hent", ""}, {"få", ""}, {"hanki", ""},
}

// apps are what they advertise.
var apps = phrases("outlook|yahoo mail|yahoo! mail|proton mail|protonmail|bluemail|mail.ru|spark|tuta|aol|яндекс|почт")

// devices are parts of the names of devices and mail programs.
var devices = phrases(
	"iphone|ipad|ipod|айфон|אייפון|آيفون|الآيفون|iphone'um|mac|apple watch|android|андроид|samsung|galaxy|huawei|honor|xiaomi|redmi|poco|oppo|vivo|oneplus|pixel|nokia|motorola|realme|sony|xperia|htc",
	"blackberry|windows|outlook|yahoo|aol|gmail|mail for|mail für|mail pour|mail para|mail per|mail voor|mail app|mail-app|mail.ru|яндекс|yandex|proton|protonmail|tutanota|tuta|fastmail|k-9|k9|thunderbird",
	"spark|airmail|zoho|mailbird|em client|emclient|newton|edison|gmx|web.de|mail.com|freemail|libero|orange|sfr|laposte|wp.pl|o2|interia|onet|ukr.net|i.ua|qq|foxmail|网易|邮箱|手机|ios|bluemail|aquamail|mailspring",
	"handy|smartphone|mobile|mobil|mobiel|telefon|phone|téléphone|teléfono|telefono|telefone|telefoon|tablet|tablette|device|gerät|dispositivo|appareil|apparaat|urządzeni|устройств|телефон|пристро|cihaz|携帯|スマートフォン|スマホ|الهاتف|هاتفي|הטלפון",
	"t-mobile|verizon|at&t|vodafone|superhuman|posteo|mailbox.org|hubspot|roundcube|seznam|canary",
)

// footerWords are the small words around them.
var footerWords = set(
	"my our the your a an secure encrypted email e-mail emails app application client new free for with on using wireless 4g 5g lte smart powered",
	"mein meinem meiner mobilen mobile sicherer sichere für mit der die das neue app e-mail-app",
	"mon ma l'application application pour sur avec messagerie sécurisée boîte une d'un mi un una desde el para con en correo seguro mio dal dalla dall app sul applicazione",
	"meu minha meus do da pelo aplicativo para o no seguro móvel mijn een met voor op app beveiligde mojego moje program programu systemu poczty na dla urządzenia telefonu aplikacji",
	"моего мой мобильной мобильного мобильное почты приложения для на мого моєї мобільного мобільної пошти програми застосунку",
	"min mitt appen för till ja ios:lle iosille",
)

// wholeFooters are those without a device, and sentences that programs write as they are.
var wholeFooters = phrases(
	"sent from my android device with k-9 mail. please excuse my brevity|sent from my android phone with k-9 mail. please excuse my brevity|diese nachricht wurde von meinem android-gerät mit k-9 mail gesendet",
	"envoyé de mon appareil android avec k-9 mail. veuillez excuser ma brièveté|envoyé de mon appareil android avec courriel k-9 mail. veuillez excuser ma brièveté",
	"enviado desde mi dispositivo android con k-9 mail. por favor, disculpa mi brevedad|enviado desde mi dispositivo android con k-9 mail. disculpa mi brevedad",
	"inviato dal mio dispositivo android con k-9 mail. perdonate la brevità|enviado do meu dispositivo android com o k-9 mail. por favor, desculpe-me pela brevidade",
	"verzonden vanaf mijn android apparaat met k-9 mail. excuseer mijn beknoptheid|wysłane z urządzenia z androidem za pomocą k-9 mail. proszę wybaczyć moją zwięzłość",
	"простите за краткость, создано в k-9 mail|отправлено из k-9 mail|yahoo mail: search, organize, conquer|yahoo mail: search, organise, conquer|all new yahoo mail|gesendet mit der telekom mail app",
	"sent securely with tuta|secured with tuta|mit tuta sicher|--- отправлено из mail|sent with shift|mailtrack|sender notified by",
)

// scanners are the footers of virus scanners, and of e-mail clean-up.
var scanners = phrases(
	"virus-free|virus free|this email has been checked for viruses|this e-mail has been checked for viruses|this email has been scanned|this e-mail has been scanned|this message has been scanned",
	"this email is free from viruses|no virus found in this message|checked by avg|scanned by|this message was scanned",
	"virenfrei|diese e-mail wurde von avast|diese e-mail wurde auf viren|diese nachricht wurde auf viren|es wurden keine viren",
	"sans virus|garanti sans virus|l'absence de virus dans ce courrier|cet e-mail a été vérifié|libre de virus|este correo electrónico ha sido comprobado en busca de virus|el software de antivirus avast",
	"este mensaje ha sido analizado|mail priva di virus|privo di virus|senza virus|questa email è stata esaminata|questa e-mail è stata controllata|livre de vírus|este email foi escaneado pelo avast|não contém vírus",
	"este e-mail foi verificado|virusvrij|deze e-mail is gecontroleerd op virussen|wolny od wirusów|bez wirusów|ta wiadomość e-mail została sprawdzona|ta wiadomość została sprawdzona|без вирусов",
	"это сообщение проверено на вирусы|это электронное письмо проверено|без вірусів|це повідомлення перевірено|virüs bulunmuyor|virüssüz|bu e-posta virüslere karşı|virusfri|det här e-postmeddelandet har kontrollerats|viruksia ei",
	"خالٍ من الفيروسات|خالية من الفيروسات|ללא וירוסים|ウイルス フリー|ウイルスフリー|このeメールはアバスト|このメールはアバスト|不含病毒|无病毒|無病毒|此电子邮件已经过 avast|bez virů|vírusmentes",
)

// scannerNames are words in those that are short.
var scannerNames = phrases("avast|avg|norton|mcafee|kaspersky|eset|bitdefender|antivir|sophos|mailscanner|dr.web|avira|g data|trend micro|barracuda|mimecast|messagelabs|symantec")

// lists are the words of mailing lists below a rule.
var lists = phrases("mailing list|mailinglist|mailman/listinfo|mailman3/lists|to unsubscribe|unsubscribe from|google groups|groups.io|liste de diffusion|lista de correo|um sich abzumelden|zum abbestellen|-unsubscribe@|-leave@")

// headings begin disclaimers.
var headings = phrases(
	"disclaimer|confidentiality notice|confidentiality statement|confidentiality note|legal notice|legal disclaimer|privacy notice|privileged and confidential|private and confidential",
	"haftungsausschluss|vertraulichkeitshinweis|rechtlicher hinweis|hinweis zur vertraulichkeit|datenschutzhinweis",
	"avis de confidentialité|clause de confidentialité|mention légale|mentions légales|aviso legal|aviso de confidencialidad|cláusula de confidencialidad|advertencia legal|nota de confidencialidad",
	"avviso di riservatezza|nota di riservatezza|clausola di riservatezza|informativa privacy|aviso de confidencialidade|vertrouwelijkheid|klauzula poufności|nota prawna",
	"уведомление о конфиденциальности|повідомлення про конфіденційність|yasal uyarı|gizlilik bildirimi|gizlilik uyarısı|sekretess|ansvarsfriskrivning|إخلاء المسؤولية|إخلاء مسؤولية|إشعار السرية|הודעת סודיות|免責事項|機密保持|免责声明|保密声明|免責聲明|保密聲明",
)

// disclaimers are beginnings of sentences that only companies' lawyers write.
var disclaimers = phrases(
	"this email and any attachment|this email and any files|this email, including|this email (including|this email (and any|this email and its|this email message|this email is confidential|this email is intended|this email contains confidential|this email may contain|this email transmission",
	"this message and any attachment|this message is confidential|this message contains confidential|this message is intended|this message may contain|this message and its|this message (including|this communication|this transmission|the information contained in this|the information in this email",
	"the information transmitted|the contents of this email|the content of this email|this electronic|if you are not the intended|if you have received this|any views or opinions|the views expressed|please consider the environment|please think of the environment|before printing|think before you print",
	"save paper|save a tree|consider the environment",
	"diese email enthält|diese email (einschließlich|diese email (inklusive|diese email und|diese email ist vertraulich|diese email ist ausschließlich|diese email kann vertrauliche|diese nachricht enthält|diese nachricht ist vertraulich|diese nachricht ist ausschließlich|diese nachricht und|diese nachricht kann",
	"der inhalt dieser email|die in dieser email|die information in dieser|die informationen in dieser|dieses email|sollten sie nicht der|wenn sie nicht der|falls sie nicht der|bitte denken sie an die umwelt|denken sie an die umwelt|bitte prüfen sie der umwelt",
	"ce message et|ce message est|ce message électronique|ce message contient|ce message peut|ce message (|ce mail et|cet email et|cet email est|cet email contient|cet email peut|cet email (|ce email|les informations contenues|si vous n'êtes pas le destinataire|si vous avez reçu ce|l'intégrité de ce",
	"pensez à l'environnement|avant d'imprimer|n'imprimez",
	"este mensaje y|este mensaje es|este mensaje se dirige|este mensaje va dirigido|este mensaje contiene|este mensaje puede|este mensaje (|este correo y|este correo electrónico|este correo contiene|este email|la información contenida|la información incluida|si usted no es el destinatario|si no es usted",
	"si ha recibido este|antes de imprimir|piense en el medio|el contenido de este",
	"questo messaggio e|questo messaggio è|questo messaggio contiene|questo messaggio può|questo messaggio di posta|questa email|questa comunicazione|le informazioni contenute|le informazioni trasmesse|il contenuto di questa|il presente messaggio|la presente email|la presente comunicazione|il presente email",
	"rispetta l'ambiente|prima di stampare|se non siete|qualora non fosse",
	"esta mensagem e|esta mensagem é|esta mensagem contém|esta mensagem pode|esta mensagem (|esta mensagem, incluindo|este email|esta comunicação|as informações contidas|a informação contida|o conteúdo desta|se você não é|se não for o destinatário|caso você tenha recebido|antes de imprimir|pense no meio",
	"dit bericht en|dit bericht is|dit bericht kan|dit bericht bevat|dit bericht (|dit emailbericht|dit email|deze email en|deze email is|deze email bevat|deze email kan|de informatie in|de informatie verzonden|de inhoud van|indien u niet|als u niet de|denk aan het milieu",
	"niniejsza wiadomość|niniejszy email|ta wiadomość|treść tej wiadomości|treść niniejszej|informacje zawarte|wiadomość ta|jeżeli nie jest|jeśli nie jest|pomyśl o środowisku|zanim wydrukujesz",
	"настоящее сообщение|данное сообщение|это сообщение и|это сообщение предназначено|это сообщение содержит|это электронное|данное электронное|настоящее электронное|информация, содержащаяся|содержание данного|если вы не являетесь|если вы получили это",
	"це повідомлення|цей електронний|цей лист|дане повідомлення|інформація, що міститься|якщо ви не є|якщо ви отримали це",
	"bu eposta|bu e-posta|bu mesaj|bu ileti|bu elektronik|işbu|eğer bu|det här meddelandet|detta meddelande|detta email|detta mail|denna epost|denna e-post|informationen i detta|om du inte är",
	"هذه الرسالة|هذا البريد|يحتوي هذا البريد|المعلومات الواردة|إن هذه الرسالة|محتويات هذه|إذا لم تكن|إذا استلمت|הודעה זו|מסר זה|דואר אלקטרוני זה|המידע בהודעה|המידע הכלול|תוכן הודעה|אם אינך הנמען",
	"このメールは|このメールには|本メールは|本メールには|本メール及び|本電子メール|この電子メール|このeメール|本メッセージ|このメッセージは|本邮件|本電郵|此邮件|此電郵|此郵件|此电子邮件|这封邮件|该邮件|该电子邮件|本电子邮件|本電子郵件|如果您不是|若您不是|本信息",
)

// legal are words of disclaimers, and of what follows them.
var legal = phrases(
	"intended recipient|confidential|registered office|registered in|company number|liability|unauthori|data protection|privacy|disclos|printing|all rights reserved|vat no|the environment|received this|in error|not necessarily",
	"attachment|addressee|any files|privileged|sole use|anhäng|anlagen|rechtlich geschützt|pièces jointes|intention exclusive|adjuntos|exclusivamente|allegat|esclusivamente|anexos|apenas ao|bijlage|uitsluitend|załącznik|wyłącznie",
	"вложени|приложени|предназначен|вкладен|додат|ekleri|yalnizca|bilagor|مرفقات|مخصص|צרופות|מיועד|添付|情報|附件|仅限|僅限",
	"vertraulich|geschäftsführ|amtsgericht|handelsregister|hrb|sitz der gesellschaft|ust-id|ust.-id|haftung|haftet|empfänger|adressat|datenschutz|gerichtsstand|vorstand|aufsichtsrat|umwelt|ausdrucken",
	"confidentiel|destinataire|siège social|responsabilité|capital de|rcs paris|environnement|imprimer|confidencial|destinatari|responsabilidad|protección de datos|rgpd|lopd|registro mercantil|medio ambiente|imprimir",
	"riservat|sede legale|p.iva|p. iva|responsabilità|ai sensi del|ambiente|stampare|confidenciais|proteção de dados|responsabilidade|vertrouwelijk|geadresseerde|aansprakelijk|kvk|milieu|afdrukken",
	"poufn|adresat|odpowiedzialno|krs|nip:|rodo|środowisk|wydruk|конфиденциальн|адресат|ответственност|окружающ|конфіденційн|відповідальн|довкілля|gizli|alıcı|sorumlu|kişisel veri|çevre",
	"konfidentiell|sekretess|mottagare|gdpr|miljö|سرية|سري|المستلم|المسؤولية|סודי|הנמען|אחריות|機密|受信者|責任|宛先の方|破棄|保密|机密|收件人|责任|删除",
)

// personal are words of people, which no disclaimer has.
var personal = func() (out []string) {
	for word := range set("my i'm i've i'll ich mein meine meinem meinen meiner mir mich j'ai moi mon yo mis mío io mio mia miei eu meu minha ik mijn mój moja mnie я мой моя мне меня мій моя мені ben benim bana jag mitt mig") {
		out = append(out, " "+word+" ")
	}
	return append(out, " i am ", " i have ", " i do ", " i want ", " i will ", " i need ", "私", "我的", "أنا ", "אני ")
}()
