//go:build pictures

package e2e

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

func pictureStart(t *testing.T, s *fixture) {
	b := s.newTab(t)
	b.pose()
	b.visit(s.base + "/")
	b.until(`text("#public-key") === %s`, s.public)
	s.tryBothSides(b)
	b.run(`$("#demo-frame").contentWindow.RelayChat.identify({id: "c-1001", name: "Lena Vogt"})`)
	b.until(`$("#console-frame").contentDocument.querySelector("#thread-name").textContent === "Lena Vogt"`)
	b.size(1280, 860)
	b.take("start", "")
}

func pictureInbox(b *tab) {
	b.until(`$$("#rows a").length === 4 && text("#link") === ""`)
	b.run(`[...$$("#rows a")].find((n) => n.textContent.includes("Maya")).click()`)
	b.until(`lines().length === 6 && text("#facts").includes("maya@mail.example")`)
	b.take("inbox", "")
}

// pictureWidget shows the widget on the page of a shop and on a phone.
func pictureWidget(t *testing.T, s *fixture, operator *tab) {
	b := s.newTab(t)
	b.pose()
	b.visit(s.demo)
	b.until(`shown(".launcher")`)
	b.run(`document.querySelector(".shop-hint").remove()`)
	b.click(".launcher")
	b.until(`shown(".panel") && root.activeElement === $("textarea") && text(".presence") === "Online now"`)
	b.write("Does the Aro lamp come with a bulb?")
	b.until(`/Sent|Delivered/.test(text(".own .meta"))`)
	var list struct{ Sessions []struct{ ID string } }
	s.call(t, http.MethodGet, s.base+"/api/admin/sessions", s.secret, nil, &list)
	operator.answer(list.Sessions[0].ID, "It does: a warm one, and it lasts about 15 years.", false)
	b.until(`$$(".row .bubble").length === 3 && /Delivered|Read/.test(text(".own .meta"))`)
	b.size(1280, 720)
	b.take("widget", "")
	b.size(360, 700, chromedp.EmulateMobile)
	b.take("widget-phone", "")
}

func pictureCustomise(s *fixture, b *tab) {
	b.settings("widget", "Widget")
	field := func(setting string) string { return `[data-setting="` + setting + `"] .input` }
	b.enter(field("operatorName"), "Halden & Loft")
	b.enter(field("primaryColor"), "#9d4c2e")
	b.until(`text("#save-count") === "2 changes"`)
	b.click("#save")
	b.until(`text("#save-count") === "Saved."`)
	b.visit("about:blank") // without the bar that says so
	b.visit(s.console + "#/widget")
	b.until(`$(".preview")?.contentDocument?.querySelector("relay-chat")?.shadowRoot.querySelector("h2")?.textContent === "Halden & Loft"`)
	b.run(`$(".propose").closest("section").scrollIntoView()`)
	b.take("customise", "")
}

func pictureKnowledge(b *tab) {
	b.click("#knowledge-link")
	b.until(`shown("#knowledge") && $$("#knowledge section:first-child .tag.good").length === 3`)
	b.take("knowledge", "")
}

func pictureAI(b *tab) {
	b.settings("ai", "AI")
	press := func(name string) {
		b.until(`[...$$("#rehearsal button")].some((n) => n.textContent === %[1]s && (n.click(), true))`, name)
	}
	press("Rehearse")
	press("Begin")
	b.until(`text("#rehearsal-sum").startsWith("Right: ") && shown("#rehearsed summary")`)
	b.take("ai", "#rehearsal")
}

func pictureStatistics(b *tab) {
	b.click("#statistics-link")
	b.size(1280, 960)
	b.until(`$$("svg.chart .bar.operator").length > 20`)
	b.take("statistics", "")
}

// pictureChannels shows each platform's card in the midst of being connected.
func pictureChannels(t *testing.T, s *fixture) {
	telegram, discord, slack := telegramtest.New(t), discordtest.New(t), slacktest.New(t)
	telegram.Kick()
	slack.Leave()
	s.stop()
	s.instance = bootIn(t, s.dir, "TELEGRAM_API_URL="+telegram.URL, "DISCORD_API_URL="+discord.URL+"/api/v10", "SLACK_API_URL="+slack.URL)
	b := s.newOperator(t, "Ada")
	b.pose()
	b.visit("about:blank")
	b.visit(s.console + "#/channels")
	b.click("#connect-telegram")
	b.paste(`[aria-labelledby="bridge-telegram"] input`, telegram.Token)
	b.card("telegram", "The bot is @relay_support_bot")
	b.until(`shown(".qr")`)
	b.take("telegram", `[aria-labelledby="bridge-telegram"]`)
	b.click("#connect-discord")
	b.paste(`[aria-labelledby="bridge-discord"] input`, discord.Token)
	b.until(`$('[aria-label="Use Lamp shop · #support"]')`)
	b.take("discord", `[aria-labelledby="bridge-discord"]`)
	b.click("#connect-slack")
	b.enter(`[aria-labelledby="bridge-slack"] .step .field:nth-of-type(2) input`, slack.BotToken)
	b.enter(`[aria-labelledby="bridge-slack"] .step .field:nth-of-type(3) input`, slack.AppToken)
	b.click(`[aria-labelledby="bridge-slack"] .step .button.main`)
	b.until(`$('[aria-label="Join #support"]') && !$('[aria-labelledby="bridge-slack"] .add-bot')`)
	b.take("slack", `[aria-labelledby="bridge-slack"]`)
}
