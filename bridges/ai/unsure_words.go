package ai

// unspaced are the languages that put no spaces between words.
var unspaced = []string{"ja", "zh", "th"}

// conditions are words that begin a condition, in any language. What is a condition in one
// and a usual word in another one is left out.
const conditions = " if when whenever unless wenn falls sofern quand lorsque quando cuando indien om hvis dersom jos jeśli jeżeli gdy pokud když ak keď dacă если когда якщо коли ako ако če ja kui ha eğer εάν αν όταν اذا لو إذا אם اگر अगर यदि nếu jika kalau bila 경우 "

// joinedConditions end a condition, in scripts without spaces.
var joinedConditions = []string{"場合", "ときは", "時は", "でしたら", "なら", "的话", "时,", "의경우"}

// unknowing are the phrases by which somebody says that an answer is not known. What says
// only that there is no such thing ("we do not ship to Norway") is an answer.
var unknowing = phrases(map[string]string{
	"en": `i * do not * know, i do not * have that|it|this|those|these|one|anything, i * do not * have * info~|detail~|data|answer~|access|knowledge|record~|enough|specifics|visibility,
		i * have * no|not info~|detail~|data|answer~|access|knowledge|record~|idea|specifics|way, i * do|did not * see|find|recall, i do not want to guess, i have not * found|been|got, i would * guess~,
		i * find|found|see|saw|know no|nothing, i * am|was * not * sure|certain|aware|able|familiar, i * am|was * unsure|uncertain|unable|unaware|unfamiliar, not * sure about that|this|it, i * would not * know, i * lack,
		i * can|could * not * answer|say|tell|find|help|confirm|assist|provide|verify|determine|locate|check|see|comment|speak|look, know~ * beyond|outside * my|what, that|this|it is beyond|outside my|me|what,
		not * in my knowledge|information|sources|data|passages, no info~ * about|on|regarding|available|provided|given|found|whether|concerning, no detail~ * about|on|regarding|available|provided|given|whether, no mention of,
		do|does|did not * have|contain|include|provide|give|offer * info~|detail~|data * about|on|regarding|available|whether|for, we * do not * know, we are * not * sure|certain|aware, we have no * info~,
		passages|sources|documents|context|website|site|pages|materials|text|house|faq|information * do|does|did not * say|mention|state|specify|list|contain|provide|include|tell|cover|answer|give|address|describe|indicate,
		passages|sources|documents|context|website|site|pages|materials|house|faq * have|has|contain|contains|say|says no|nothing, is|are|was not * mentioned|specified|stated|documented|indicated|disclosed,
		not * mentioned|listed|covered|described|specified|stated|found|available|included * in|on * passages|sources|documents|website|site|pages|materials|context|information, nothing|anything about|on * in|on * passages|sources|website|site|pages|information,
		it|that is not * clear|known, it is unclear|unknown|uncertain, remains unclear, unknown to me, your guess is as good, no idea, no clue, not something i|we * know|have|can|am, hard|difficult for me to say, at a loss,
		^ sorry|hmm|well|unfortunately|so|really|honestly * not sure|certain, ^ not * sure|certain, ^ do not know, ^ could|can not * find|say|answer|tell,
		info~ is|are not * available|given|known, not * given|have|possess that|this|these|those|such info~|detail~, i do not * possess, i do not think|believe i, outside|beyond * scope, nothing * passages|sources|information|documents, i can|could only * answer|help|assist, i am not in a position,
		i will|can|could * connect|transfer|forward|escalate|pass, i will * check|ask|get back`,
	"de": `weiss|wüsste ich * nicht|nichts|keine, ich weiss|wüsste * nicht|nichts|leider, ich * keine|keinerlei * info~|angabe~|auskunft|auskünfte|daten|detail~|hinweis~|antwort~|kenntnis~|ahnung|zugriff,
		ich * nichts|nicht|keine * finden|gefunden|sagen|beantworten|helfen|bestätigen|beurteilen|angeben|mitteilen|nennen|prüfen|weiterhelfen|entnehmen|sicher|bekannt|einsehen, ich finde * nichts|keine|nicht, finde ich * nichts|keine|nicht,
		bin|ich * mir * nicht * sicher, ich * unsicher, bin ich * überfragt, ich passen, fehlen|fehlt mir,  mir * fehlen|fehlt, ich * überfragt, ich passen, fehlen|fehlt mir,  mir * fehlen|fehlt, mir * nicht|nichts|keine * bekannt|sicher|vor, liegen|liegt mir * keine|nichts|nicht, mir liegen|liegt * keine|nichts|nicht, habe ich * keine|nichts|nicht,
		kann|konnte ich * nicht|nichts|keine, es gibt * keine info~|angabe~|hinweis~, keine info~|angabe~|hinweis~ * zu|über|darüber|dazu|vor|verfügbar|vorhanden|ob, haben|liegen|enthalten * keine info~|angabe~|hinweis~,
		wir wissen * nicht, wissen wir * nicht, ist|sind|wird|werden * nicht * erwähnt|angegeben|dokumentiert|genannt|beschrieben, steht * nicht|nichts * seite~|website|informationen|unterlagen|texten|da|dort|dazu, geht * nicht|nichts hervor, steht * nichts,
		entzieht sich, unklar, keine ahnung, nicht beantworten, schwer zu sagen, ich * leite|verbinde|gebe * weiter|sie`,
	"fr": `je * ne sais pas, je ne * sais, je n en sais, je n ai * pas|aucune|aucun|rien, je ne * dispose|trouve|vois|connais|peux|suis|possède|parviens pas|aucune|rien|malheureusement, je n * arrive|ignore pas, j ignore, je * pas * sûr|sûre|certain|certaine|capable, nous ne savons pas,
		nous n avons * pas|aucune d|information|informations|info|infos, aucune info~|précision|indication|mention, n est pas|nulle * mentionné~|précisé~|indiqué~|spécifié~, ne sont pas mentionné~|précisé~|indiqué~, ne * mentionne~|précise~|indique~ pas|aucune|rien, aucune idée, il n y a pas d information~, pas d information~`,
	"es": `no * lo sé, no sé, lo desconozco, desconozco, lo ignoro, no * tengo|encuentro|encontré|dispongo|puedo|pude|conozco|veo|logro|consigo|cuento|estoy * info~|datos|respuesta|idea|detalles|responder|decir|decirle|decirte|ayudar|ayudarle|ayudarte|confirmar|encontrar|segur~|nada|acceso|conocimiento|ciencia|eso|esa|ese,
		no lo encuentro, no encuentro, no hay info~, no hay * detalles sobre, no sabemos, no tenemos|disponemos * info~, no se menciona, no se especifica, no se indica, no está especificado|indicado|mencionado|claro, no aparece * en, ninguna información, ni idea`,
	"it": `non lo so, non so, non saprei, lo ignoro, non ne ho, non ho * info~|dati|risposta|idea|dettagli|accesso|trovato|abbastanza|conoscenza|notizie, non dispongo, non trovo, non riesco, non posso * rispondere|dire|dirle|dirti|aiutar~|confermare|verificare, non sono * sicur~|cert~|in|al, non ci sono info~,
		non abbiamo info~, non sappiamo, non è|sono * specificat~|indicat~|menzionat~|chiaro|riportat~, nessuna info~, non viene|vengono|risulta * menzionat~|specificat~|indicat~, non mi è|risulta`,
	"pt": `não sei, isso eu não, não saberia, desconheço, não * tenho * info~|dados|resposta|ideia|detalhes|acesso|certeza|conhecimento, não encontrei|encontro|disponho|consigo|localizei, não posso * responder|dizer|ajudar|confirmar|informar, não estou * segur~|cert~, não há info~, não temos info~, não sabemos,
		não é|está|são|foi * mencionad~|especificad~|indicad~|clar~|informad~, não * menciona~|especifica~, nenhuma info~`,
	"nl": `weet ik * niet|geen, ik weet * niet|geen, ik heb|beschik|vind|kan|kon|ben|zie * geen|niets|niet, heb|vind|kan|kon|ben ik * geen|niets|niet, wij|we weten * niet, weten we niet, geen info~|gegevens * over|beschikbaar|of, er is|staat * geen|niets * info~|over, wordt|is|staat * niet vermeld|duidelijk|aangegeven|genoemd|bekend, geen idee`,
	"sv": `vet jag * inte|ej, jag vet * inte|ej, jag * inte|ingen|inget|inga * hitta~|säker|svara|svaret|info~|uppgift~|säga|hjälpa|bekräfta|svar|vet|veta, har|hittar|kan|är jag * inte|ingen|inga|inget, vi vet * inte, ingen info~ * om, framgår|nämns|anges|står * inte, ingen aning`,
	"da": `ved jeg * ikke, jeg ved * ikke, jeg * ikke|ingen|intet * finde|fundet|sikker|svare|svaret|info~|oplysning~|sige|hjælpe|bekræfte|svar, har|kan|er|finder jeg * ikke|ingen, vi ved * ikke, ingen info~|oplysning~ * om, fremgår|nævnes|står * ikke, ingen anelse`,
	"nb": `vet jeg * ikke, jeg vet * ikke, jeg * ikke|ingen|ikkje * finne|funnet|sikker|svare|svaret|info~|opplysning~|si|hjelpe|bekrefte|svar, har|kan|er|finner jeg * ikke|ingen, vi vet * ikke, ingen info~|opplysning~ * om, fremgår|nevnes|står * ikke, ingen anelse`,
	"fi": `en * tiedä|löydä|löytänyt|osaa|pysty|voi, en ole * varma|tietoinen, minulla ei ole, en valitettavasti, emme tiedä, ei ole * tietoa|mainittu|mainita|saatavilla, ei mainita|kerrota|selviä, tietoa ei, en tiedä`,
	"pl": `nie wiem, nie mam * info~|danych|wiedzy|odpowiedzi|pojęcia|dostępu|pewności, nie jestem * pewien|pewna|pewny|w, nie znalazłem|znalazłam|znajduję|znam|potrafię|mogę|udało, nie wiemy, nie mamy info~, brak info~|danych, brak mi, nie jest|są * podan~|określon~|wspomnian~|jasne, nie ma info~|wzmianki, nie podano, nie wspomniano, tego nie wiem`,
	"cs": `nevím, to nevím, nemám * informac~|údaj~|odpověď|tušení|přístup, nejsem si * jist~, nejsem * schop~, nenašel|nenašla|nenacházím|neznám|nedokážu|nemohu, nevíme, nemáme informac~, není * uveden~|zmíněn~|jasné|známo, žádné informace, informace * nejsou`,
	"sk": `neviem, to neviem, nemám * informác~|údaj~|odpoveď|tušenie|prístup, nie som * ist~|si|schop~, nenašiel|nenašla|nepoznám|nedokážem|nemôžem, nevieme, nemáme informác~, nie je * uveden~|spomenut~|jasné|známe, žiadne informácie`,
	"hu": `nem tudom, nem vagyok * biztos|benne, nincs * információm|adatom|tudomásom|válaszom|információ, nem találok|találtam|ismerem|tudok|tudtam, sajnos nem tud~, nem tudjuk, nincs információnk, nem szerepel, nem említ~, ezt nem tudom`,
	"ro": `nu știu, nu stiu, nu am * info~|date|răspuns|idee|detalii|acces|găsit|cunoștință, nu sunt * sigur~|cert~|în, nu găsesc|pot|cunosc|reușesc|dispun, nu știm, nu avem info~, nu există info~, nu este|sunt * menționat~|specificat~|clar|precizat~, nu se menționează|specifică`,
	"bg": `не знам, не съм * сигур~|наясно, нямам * информация|данни|отговор|представа|достъп, не мога, не намирам|намерих|открих, не знаем, няма|нямаме информация, не е|са * посочен~|споменат~|ясно|уточнен~`,
	"hr": `ne znam, to ne znam, nisam * sigur~|u, nemam * informacij~|podat~|odgovor|pristup, ne mogu, nisam pronašao|pronašla, ne nalazim, ne znamo, nemamo informacij~, nije|nisu * naveden~|spomenut~|jasno|poznato, nema informacija`,
	"sl": `ne vem, tega ne vem, nisem * prepričan~|gotov~|našel|našla, nimam * informacij~|podatk~|odgovora|dostopa, ne morem, ne najdem, ne vemo, nimamo informacij~, ni|niso * naveden~|omenjen~|jasno|znano, ni informacij`,
	"lt": `nežinau, to nežinau, nesu * tikr~, neturiu * informacijos|duomenų|atsakymo, negaliu, neradau, nerandu, nežinome, neturime informacijos, nenurodyta, neminima, nėra * informacijos|nurodyta|aišku`,
	"lv": `nezinu, es nezinu, neesmu * pārliecināt~|droš~, man nav * informācijas|datu|atbildes|zināms, nevaru, neatradu, neatrodu, nezinām, mums nav informācijas, nav * norādīt~|minēt~|skaidrs|informācijas`,
	"et": `ei tea, ma ei * tea|leia|leidnud|oska|saa|ole, ei ole * kindel|teavet|infot|mainitud|märgitud|selge, mul ei ole, mul pole, me ei tea, pole * infot|teavet|mainitud`,
	"tr": `bilmiyorum, bunu bilmiyorum, bilgim yok, bilgi * yok|bulunmuyor|bulunmamaktadır|bulamadım|sahip, emin değilim, bulamadım, bulamıyorum, cevaplayamıyorum, yanıtlayamıyorum, yanıtlayamam, cevaplayamam, bilemiyorum, fikrim yok, yardımcı olamıyorum, söyleyemem, söyleyemiyorum, bilmiyoruz, bilgimiz yok, belirtilmemiş, belirtilmemiştir, belirtilmiyor, net değil`,
	"el": `δεν * γνωρίζω|ξέρω|βρίσκω|βρήκα|μπορώ|έχω|είμαι, δεν το γνωρίζω, δεν γνωρίζουμε, δεν ξέρουμε, δεν υπάρχουν πληροφορίες, δεν έχουμε πληροφορίες, δεν αναφέρεται|αναφέρονται|διευκρινίζεται`,
	"ru": `не знаю, этого я не, не могу * ответить|сказать|помочь|найти|подтвердить|подсказать|проверить, не нашел|нашла|нахожу|вижу|владею|располагаю|уверен|уверена, у меня * нет, мне * не известно, мне неизвестно, неизвестно, не знаем, нет * информации|сведений|данных, у нас нет * информации|сведений|данных, не указан~|упомянут~|упоминается|сказано|ясно, затрудняюсь, понятия не имею`,
	"uk": `не знаю, цього я не, не можу * відповісти|сказати|допомогти|знайти|підтвердити, не знайшов|знайшла|знаходжу|бачу|володію|впевнен~|певен|певна, у мене * немає, мені * не відомо, мені невідомо, невідомо, не знаємо, немає * інформації|відомостей|даних, не вказан~|зазначен~|згадан~|згадується|ясно, гадки не маю`,
	"ko": `모르겠~, 모릅니다, 알지 못~, 알 수 없~, 확인할|답변할|답변드리기|찾을|도와드릴 수 없~, 확인하기|답변드리기|답변하기 어렵~, 정보가|정보는 * 없~|부족~, 정보를 * 찾지|가지고 * 못~|않~|없~, 확실하지 않~, 언급되어|명시되어|나와 * 않~|있지|없~`,
	"ar": `لا اعرف|اعلم|ادری|املک|اجد|استطیع|یمکننی|یمکنی|تتوفر|توجد|یوجد|نعلم|نعرف|نملک, لا املک, لیس لدی|لدینا * معلومات|فکره|فکرة|اجابة|علم|ای, لست * متاکد~|متاکدا|واثق~|علی, لم * اجد|اتمکن|یذکر|یرد|اعثر, غیر * متاکد~|مذکور~|واضح|معروف, ما عندی`,
	"he": `איני|אינני * יודע|יודעת|בטוח|בטוחה|מוצא|מוצאת|יכול|יכולה, אני לא * יודע|יודעת|בטוח|בטוחה|מוצא|מוצאת|יכול|יכולה|מכיר, לא ידוע, אין לי|לנו * מידע|מושג|תשובה|פרטים|גישה|נתונים, לא מצאתי, לא מצוין|מופיע|צוין|נמצא, אין מידע`,
	"fa": `نمی دانم|دونم|توانم|تونم|دانیم|شود, نمیدانم, نمیدونم, من * نمی, اطلاعی ندارم|نداریم|نیست, اطلاعات * ندارم|نداریم|نیست|ندارد|نشده, مطمین نیستم, مطمئن نیستم, پیدا نکردم, ذکر نشده, مشخص نیست`,
	"hi": `नहीं पता|जानता|जानती|मालूम, मुझे * नहीं, पता नहीं, जानकारी * नहीं|उपलब्ध नहीं|है|मिली|थी, मैं * नहीं, निश्चित नहीं, उल्लेख नहीं`,
	"vi": `tôi|em|mình * không|chưa * biết|rõ|chắc|tìm|có|thể, không có thông tin, chúng tôi không biết|rõ, chúng tôi không có thông tin, không được đề cập|nêu|nhắc, chưa rõ, không rõ`,
	"id": `saya * tidak|kurang|belum * tahu|yakin|menemukan|bisa|dapat|memiliki|punya|mengetahui, kami tidak tahu, kami tidak memiliki informasi, tidak ada informasi, informasi * tidak tersedia|ada, tidak disebutkan|dijelaskan|dicantumkan, belum diketahui`,
	"ja": `わかりません,わかりかねます,分かりません,分かりかねます,判りません,存じません,存じ上げません,知りません,お答えできません,お答えできかねます,お答えしかねます,回答できません,回答できかねます,回答しかねます,お答えすることができません,お答えすることはできません,情報がありません,情報はありません,情報がございません,情報はございません,情報が見つかりません,見つかりませんでした,見当たりません,確認できません,確認できませんでした,記載がありません,記載はありません,記載されていません,記載されておりません,記載がございません,不明です,把握しておりません,把握していません,確かではありません`,
	"zh": `我不知道,我不清楚,我不太清楚,我不确定,我不了解,我也不知道,我不太确定,无法回答,无法答复,无法确定,无法确认,无法提供,没有找到,没找到,找不到,没有相关信息,没有这方面的信息,没有关于,没有提到,没有提及,未提及,未提到,没有说明,未说明,暂无相关,没有该信息,没有信息,不得而知,不太清楚,尚不清楚,我无法,我不能回答,並不知道,我並不,無法回答,不清楚,沒有相關資訊,沒有提到,沒有資訊`,
	"th": `ไม่ทราบ,ไม่แน่ใจ,ไม่มีข้อมูล,ไม่พบข้อมูล,ไม่รู้,ไม่สามารถตอบ,ไม่สามารถให้ข้อมูล,ไม่สามารถยืนยัน,ตอบไม่ได้,ไม่ได้ระบุ,ไม่มีระบุ`,
})

// clarifying are phrases of a question back, beside which a lack of knowledge is none of an
// answer's.
var clarifying = phrases(map[string]string{
	"en": "you mean|meant, you are asking|referring|looking, understand, understood, your question, rephrase, you would like", "de": "sie|du meinen|meinst|meint, gemeint, verstanden, verstehe, ihre frage",
	"fr": "voulez|veux dire, compris|comprends, votre question", "es": "quiere|quieres decir, entiendo|entendí|comprendo, su|tu pregunta, se refiere", "it": "intende|intendi|vuole dire, capito|capisco, sua|tua domanda",
	"pt": "quer dizer, entendi|entendo|compreendi, sua pergunta", "nl": "bedoelt|bedoel|bedoeld, begrijp, uw|je vraag", "ru": "имеете в виду, понимаю|понял|поняла, ваш вопрос", "pl": "chodzi, rozumiem, pytanie",
	"ja": "ご質問の意味,どのような,どちら", "zh": "您的意思,你的意思,您指的是,您想问",
})

// referring are phrases that send the visitor to somebody else. Without anything that rests
// on what the model was given they are all that it knows.
var referring = phrases(map[string]string{
	"en": "contact|ask|email|call|consult|reach|check * support|team|service|us|staff|colleague|shop|store|operator|agent|directly|website|manufacturer, get in touch with, colleague|colleagues|team|person|agent|operator|human|member|specialist|someone|somebody * will|can|could|needs|has * answer|help|reply|respond|get|tell|assist|take",
	"de": "wenden|kontaktieren|fragen|kontaktiere|frage|frag|wende * support|team|kundenservice|kundendienst|uns|mitarbeiter|kollegen|laden|hersteller, kollege|kollegin|mitarbeiter|mitarbeiterin|team * wird|kann|meldet|hilft|antwortet", "fr": "contactez|contacter|adressez|adresser|demandez, collègue|conseiller|conseillère|équipe * va|pourra|peut|vous",
	"es": "contacte|contacta|contactar|póngase|consulte|comuníquese, compañero|compañera|colega|agente|equipo * puede|podrá|le|te|responderá", "it": "contatti|contatta|contattare|rivolgersi|si rivolga, collega|operatore * può|potrà|risponderà|le|ti", "pt": "contacte|contate|contactar|entre em contato|contacto, colega|atendente|equipe|equipa * pode|poderá|vai|irá|responderá", "nl": "neem contact, contacteer, collega|medewerker * kan|zal|antwoordt",
	"sv": "kollega * kan|svarar|kommer", "da": "kollega * kan|svarer|vil", "nb": "kollega * kan|svarer|vil",
	"ja": "担当者が,担当者より,担当の者が,お問い合わせください,お問合せください,ご連絡ください", "zh": "请联系,請聯繫,请咨询",
})
