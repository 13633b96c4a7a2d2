package ai

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestAdmits: in whatever words a model says that it does not know, it is understood.
func TestAdmits(t *testing.T) {
	for _, text := range []string{
		"I don't know.", "I don’t know that, sorry.", "Sorry, I do not know whether you deliver there.", "I'm not sure.", "I am not sure about that [1].", "I'm afraid I'm not certain.",
		"Unfortunately, I don't have that information.", "I do not have any information about gift cards.", "I currently don't have access to your order.", "I couldn't find anything about this.",
		"I can't find that on our website.", "I'm unable to answer that.", "I am not able to help with this question.", "I cannot answer this question based on the information I was given.", "I have no idea.",
		"I have no information on that.", "The passages do not mention gift cards [1][2].", "The provided information doesn't say whether we ship abroad.", "There is no information about parking.", "That isn't mentioned on our site.",
		"It is not specified whether dogs are allowed.", "Our website says nothing about that.", "That's beyond my knowledge.", "I wouldn't know.", "It's unclear.", "We don't know.", "We don't have any information about that.",
		"I'm sorry, but I can't say for sure.", "Hmm, no idea.", "I don't, unfortunately, know that.", "I did not find an answer.", "I haven't found anything about it.", "Please contact our support team.", "You could ask our staff directly.",
		"A colleague will get back to you.", "I'll forward your question to the team.", "I DON'T KNOW", "That is not something I know.", "I can't confirm that.", "I don't see that in our documents.", "Good question, but I lack details.",
		"Das weiß ich leider nicht.", "Das weiss ich nicht genau.", "Ich weiß es nicht.", "Dazu habe ich leider keine Informationen.", "Dazu liegen mir keine Angaben vor.", "Da bin ich überfragt.", "Das kann ich Ihnen nicht sagen.", "Ich bin mir nicht sicher.",
		"Dazu kann ich leider nichts finden.", "Es gibt keine Informationen dazu.", "Das ist mir nicht bekannt.", "Bitte wenden Sie sich an unseren Kundenservice.", "Das steht nicht auf unserer Website.",
		"Je ne sais pas.", "Désolé, je n'ai pas cette information.", "Je ne suis pas sûr.", "Je ne trouve aucune information à ce sujet.", "Aucune information n'est disponible.", "No lo sé.", "Lo siento, no tengo esa información.", "No estoy seguro.",
		"No encuentro información sobre eso.", "Non lo so.", "Mi dispiace, non ho informazioni al riguardo.", "Não sei.", "Não tenho essa informação.", "Dat weet ik niet.", "Daar heb ik geen informatie over.", "Det vet jag inte.", "Jag hittar ingen information om det.",
		"Det ved jeg ikke.", "Det vet jeg ikke.", "En tiedä sitä.", "Tego nie wiem.", "Niestety nie mam takich informacji.", "To nevím.", "To neviem.", "Ezt nem tudom.", "Nu știu.", "Не знам.", "Δεν γνωρίζω.", "Bunu bilmiyorum.", "Bu konuda bilgim yok.",
		"Я не знаю.", "К сожалению, у меня нет такой информации.", "На жаль, я не знаю.", "わかりません。", "申し訳ございませんが、その情報はございません。", "我不知道。", "抱歉，我没有找到相关内容。", "잘 모르겠습니다.", "죄송하지만 해당 정보가 없습니다.", "لا أعرف.", "آسف، لا أملك معلومات عن ذلك.", "איני יודע.", "אין לי מידע על כך.",
		"نمی\u200cدانم.", "मुझे नहीं पता।", "ไม่ทราบค่ะ", "Tôi không biết.", "Saya tidak tahu.",
		"I'm sorry, I have no details on that.", "Sorry, that's something I can't help with.", "I'm afraid this information isn't available to me.",
		"Unfortunately that information is not available.", "I don't have the answer to that question.", "I honestly have no clue.",
		"This isn't covered in the materials I have.", "I don't know, but I think 3 days.", "Not sure, sorry!", "I am sorry but I don't have a clear answer.",
		"I can only answer questions about our shop.", "My information doesn't include that.", "I was not given that information.",
		"That question is outside the scope of what I know.", "There's nothing in the passages about parking.", "I'm just an AI and do not have that detail.",
		"Regrettably, I don't have specific information about that.", "The text does not specify.", "I can't tell from the information provided.",
		"I'm not aware of any such discount.", "Couldn't find that, sorry.", "Don't know, sorry.", "No information available.", "You would need to contact the shop directly.",
		"It would be best to ask our staff.", "I don't think I can answer that.", "Hmm, I'm unsure.", "As far as I can tell, there is no information on this.",
		"This is not something I have information about.", "I do not possess that information.", "I'm not in a position to say.",
		"I don't have details about our delivery to Iceland.", "I am not able to see your order.", "Sorry, I can't look up orders.", "That's not mentioned anywhere.",
		"That is not clear from our pages.", "Leider weiß ich das nicht.", "Dazu finde ich leider nichts.", "Darüber habe ich keine Auskunft.",
		"Leider kann ich diese Frage nicht beantworten.", "Hierzu fehlen mir die Informationen.", "Keine Ahnung.", "Da muss ich passen.", "In den Unterlagen steht dazu nichts.",
		"Das ist auf unserer Seite nicht angegeben.", "Je n'en ai aucune idée.", "Je ne peux pas répondre à cette question.", "Je n'ai pas trouvé d'informations.",
		"Cela n'est pas précisé.", "No dispongo de esa información.", "No puedo responder a esa pregunta.", "Lo desconozco.", "No tengo idea.", "Purtroppo non lo so.",
		"Non ho trovato informazioni.", "Non posso rispondere a questa domanda.", "Infelizmente não sei.", "Não encontrei informações sobre isso.", "Helaas weet ik dat niet.",
		"Ik kan daar geen antwoord op geven.", "Tyvärr vet jag inte.", "Niestety nie wiem.", "K tomu nemám informace.", "その件については情報がありません。", "申し訳ありませんが、分かりません。",
		"恐れ入りますが、お答えすることができません。", "对不起，我没有这方面的信息。", "这个我不确定。", "죄송합니다. 그 부분은 알 수 없습니다.", "해당 내용에 대한 정보를 찾을 수 없습니다.", "عذرًا، ليس لدي معلومات حول ذلك.", "لا توجد معلومات كافية.",
		"מצטער, אני לא יודע.", "متأسفانه اطلاعی ندارم.", "मुझे इसकी जानकारी नहीं है।", "ขออภัย ไม่มีข้อมูลเรื่องนี้", "Xin lỗi, tôi không có thông tin về điều này.",
		"Maaf, saya tidak memiliki informasi tersebut.", "Maalesef bu konuda bilgim yok.", "Извините, я не могу ответить на этот вопрос.", "Вибачте, у мене немає інформації.",
	} {
		if unsure, knows := admits(text); !unsure || knows {
			t.Errorf("%q: unsure %v, knows %v", text, unsure, knows)
		}
	}
}

// TestAdmitsInEachLanguage: what relay says itself in that case is understood in each of
// its languages.
func TestAdmitsInEachLanguage(t *testing.T) {
	for _, language := range engine.HandBackLanguages() {
		person := engine.HandBackText("", language, chat.AIEndAsked)
		text := strings.TrimSuffix(engine.HandBackText("", language, chat.AIEndUnsure), person)
		if unsure, _ := admits(text); !unsure {
			t.Errorf("%s: %q", language, text)
		}
	}
}

// TestAnswersAdmitNothing: what a shop does not do, conditions and questions back are
// answers.
func TestAnswersAdmitNothing(t *testing.T) {
	for _, text := range []string{
		"If you don't know your size, measure your foot [1].", "If you are not sure, take the larger one [1].", "Not sure which size? See the table [1].", "We do not ship to Norway [1].", "We don't have a shop in Vienna [1].", "We have no parking [1].",
		"You can't return underwear [1].", "Batteries are not included [1].", "Water damage is not covered by the warranty [1].", "We cannot change an order once it has been sent [1].", "For a repair, contact our support at help@shop.example [1].",
		"I'm not sure what you mean. Do you mean the blue shoe?", "Sorry, I don't understand your question. Could you say it in other words?", "Hello! How can I help?", "You're welcome!", "Your order 4711 is not known to me. Could you describe it?",
		"Falls Sie Ihre Größe nicht kennen, messen Sie den Fuß [1].", "Wenn Sie nicht sicher sind, nehmen Sie die größere [1].", "Wir liefern nicht nach Norwegen [1].", "Wir haben keine Filiale in Wien [1].", "Si vous ne savez pas votre taille, mesurez [1].",
		"Nous n'avons pas de magasin à Lyon [1].", "Si no sabe su talla, mida el pie [1].", "No enviamos a Noruega [1].", "Non spediamo in Norvegia [1].", "Não enviamos para a Noruega [1].", "We bezorgen niet in Noorwegen [1].", "サイズがわからない場合は足を測ってください【1】。", "サイズがわかりませんでしたら、お測りください【1】。",
		"如果您不知道尺码，请量一下脚【1】。", "Мы не доставляем в Норвегию [1].", "If your country is not listed, we do not ship there [1].", "You do not need a receipt [1].", "You can return goods within 30 days [1].",
		"We're open until six; if I can't be reached, write to us [0].", "No, returns are not free [1].", "Jag är stängt. Vi skickar inte till Norge [1].", "Nie wysyłamy do Norwegii [1].",
		"I can help you with sizes [1].", "We do not have information desks in our shops [1].", "No, we can't do that [1].", "Returns are not possible after 30 days [1].",
		"Please don't forget the label [1].", "Our team will pack it for you [0].", "Contact us at the desk [0].", "Yes, it is available on our website [1].",
		"The warranty does not include batteries [1].", "You do not know the code? It is on the box [1].", "Unfortunately we do not sell bikes [1].",
		"It is not certain that it arrives before Monday if you order late [1].", "Das Netzteil ist nicht enthalten [1].", "Sie können keine Unterwäsche zurückgeben [1].",
		"Nein, das ist leider nicht möglich [1].", "No, no hacemos envíos a Canarias [1].", "Non, ce n'est pas possible [1].", "Non è possibile [1].",
		"Vi har ingen butik i Oslo [1].", "Nie ma takiej możliwości [1].", "Det är inte möjligt [1].", "返品はできません【1】。", "不可以退货【1】。", "반품은 불가능합니다 [1].", "لا يمكن الإرجاع [1].",
		"Нет, вернуть нельзя [1].", "The site does not charge for this [1].", "You can find information about sizes on our pages [1].",
		"I'm happy to help! We open at nine [1].",
	} {
		if unsure, _ := admits(text); unsure {
			t.Errorf("%q is taken for not knowing", text)
		}
	}
}

// TestKnownInPart: what is known is sent, and the rest handed over with it.
func TestKnownInPart(t *testing.T) {
	says := "You can return goods within 30 days [1]. I don't know whether that holds for gift cards."
	inTime(t, map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0")}, aitest.Says(says), func(t *testing.T, h *harness) {
		h.asks.passages = shop
		id := h.open("en")
		h.say(visitor, id, "Can I return gift cards?")
		passes(10 * time.Second)
		turn, err := h.AITurn(t.Context(), &chat.Delivery{SessionID: id, Rev: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		h.is("one message", h.said(id), "v: Can I return gift cards?|a: You can return goods within 30 days.\n\n"+
			engine.HandBackText("", "en", chat.AIEndAsked))
		if last := turn.Messages[len(turn.Messages)-1]; len(last.Sources) != 1 || last.Sources[0].URL != shop[0].URL {
			t.Errorf("its sources: %v", last.Sources)
		}
		h.is("why", h.takeovers(id), "false:unsure")
		h.is("unanswered", strings.Join(h.asks.unanswered, "|"), "Can I return gift cards?")
		if !turn.Session.Waits() || turn.Session.Unread == 0 {
			t.Error("no operator sees that the visitor waits")
		}
	})
}
