package knowledge

import (
	"strings"
	"sync"

	"github.com/relay-chat/relay/server/words"
)

// commonWords are those that questions of every kind have, folded. Ranking finds
// out by itself that they say little, but not in a small knowledge base.
const commonWords = `a an and any are as at be been but by can could did do does for from get had has have hello hey hi how i if in is it its
me my need of on or our please so that the their them there they this to us want was we what when where which who why will with would you your
aber als am an auch auf aus bei bin bis das dass dem den der des die diese dieser dir du ein eine einem einen einer eines er es euch euer eure
fur gibt habe haben hallo hat ich ihr ihre ihren im in ist ja kann kannst konnen man mein meine meinen mich mir mit muss nach nicht noch ob oder
sehr sich sie sind uber um und uns was wann war warum welche welcher welches wenn wer werden wie wird wir wo zu zum zur
au aux avec avez ai bonjour ce ces cette combien comment dans de des du elle en est et etes il ils j je l la le les leur lui m ma mes mon n ne nos
notre nous ou par pas peut peux pour pourquoi puis qu quand que quel quelle quelles quels qui quoi sa se ses si son sont sur t une un vos votre vous y d
c s est-ce fait faire
al como con cual cuando de del donde el ella en es esta este hay la las lo los me mi para por puedo que se si su sus tiene un una y
che chi come con da dei del della di dove e gli ho il in io la le lo mi nel non per posso quando quale quanto sono un una
aan als de dat die een en er het hoe ik in is kan met mijn niet of op te van voor waar wanneer wat zijn
في من على الي الى عن هل ما ماذا متي متى كيف اين كم هذا هذه ذلك التي الذي ان انا هو هي مع او لا لي لكم عندكم لديكم يمكن يمكنني هناك كل قبل بعد يا
です ます ませ せん した いた ます すか か？ ので から こと もの これ それ どこ いつ です くだ ださ さい とう おう たい って ある りま いま ます でき きま ょう しょ てい いる ない
입니 니다 습니 나요 까요 하나 어떻 떻게 언제 어디 있나 인가 는지`

var commonSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(commonWords) {
		set[word] = true
		set[words.Fold(word)] = true
	}
	return set
})

// common reports whether a word says nothing of what is asked.
func common(word string) bool { return commonSet()[word] }
