package slack

import (
	"strings"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// webAddress matches what becomes a link: rich text finds none by itself.
var webAddress = chat.LazyRegexp(`https?://[^\s<>"]+`)

// rich converts a text to rich text, in which no character is markup: chat.update
// reads markup in every text, whatever the post was
// (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block). The first line
// of a text with markup is its author, between asterisks.
func rich(out rendered) slack.MsgOption {
	text := plain(out.text, func(string) string { return "somebody" })
	var parts []slack.RichTextSectionElement
	if line, rest, more := strings.Cut(text, "\n"); out.markup && len(line) > 2 {
		parts = append(parts, slack.NewRichTextSectionTextElement(line[1:len(line)-1], &slack.RichTextSectionTextStyle{Bold: true}))
		if text = ""; more {
			text = "\n" + rest
		}
	}
	done := 0
	for _, at := range webAddress().FindAllStringIndex(text, -1) {
		if at[0] > done {
			parts = append(parts, slack.NewRichTextSectionTextElement(text[done:at[0]], nil))
		}
		parts = append(parts, slack.NewRichTextSectionLinkElement(text[at[0]:at[1]], "", nil))
		done = at[1]
	}
	if done < len(text) {
		parts = append(parts, slack.NewRichTextSectionTextElement(text[done:], nil))
	}
	return slack.MsgOptionBlocks(slack.NewRichTextBlock("", slack.NewRichTextSection(parts...)))
}
