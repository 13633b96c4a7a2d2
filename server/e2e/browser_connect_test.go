package e2e

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// card waits until a platform's card contains a text.
func (b *tab) card(name, text string) {
	b.Helper()
	b.until(`$(%s)?.closest("section").innerText.includes(%s)`, "#bridge-"+name, text)
}

// state waits for the state of a platform's card.
func (b *tab) state(name, text string) {
	b.Helper()
	b.until(`$(%s)?.closest("section").querySelector(".tag").textContent === %s`, "#bridge-"+name, text)
	if text == "Connected" {
		b.card(name, "The bot is") // this comes a moment later, and moves what is below it
	}
}

// testConnectTelegram: from a token in the clipboard to an answer from the phone, without a
// file and without a restart.
func testConnectTelegram(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	phone := telegramtest.New(t)
	phone.Kick()
	phone.SwitchTopics(false)
	s.stop()
	s.instance = bootIn(t, s.dir, "TELEGRAM_API_URL="+phone.URL)
	b := s.newOperator(t, "Ada")
	b.settings("channels", "Channels")
	b.card("telegram", "Not connected")
	b.shot(folder, "connect-1-channels")
	b.click("#connect-telegram")
	b.until(`document.activeElement.type === "password"`)
	field := `[aria-labelledby="bridge-telegram"] input`
	b.enter(field, "7000000001:AAcanary-revoked-0123456789")
	b.card("telegram", "Telegram does not accept the bot token")
	b.shot(folder, "connect-2-wrong")
	b.paste(field, phone.Token)
	b.card("telegram", "The bot is @relay_support_bot")
	b.until(`shown(".qr") && $(".add-bot a").href.startsWith("https://t.me/relay_support_bot?startgroup=relay&admin=manage_topics")`)
	b.shot(folder, "connect-3-add")
	phone.Add(false)
	b.card("telegram", "Topics are off in the group")
	b.shot(folder, "connect-4-topics")
	phone.SwitchTopics(true)
	b.card("telegram", "not an administrator")
	phone.Add(true)
	b.state("telegram", "Connected")
	b.card("telegram", "New conversations begin in Support. Open in Telegram")
	b.until(`!shown(".qr") && $('[aria-labelledby="bridge-telegram"] a[href="https://t.me/c/1234567890/1"]')`)
	b.shot(folder, "connect-5-connected")
	b.click("#test-telegram")
	b.until(`text('[aria-labelledby="bridge-telegram"] .findings').includes("posted something and removed it")`)
	b.shot(folder, "connect-6-tested")

	visitor := s.newVisitor(t, true)
	visitor.write("Do you ship to Norway?")
	visitor.wait("a topic", func() bool { return len(phone.Threads()) > 0 && len(phone.Threads()[0].Messages) > 1 })
	phone.Write(phone.Threads()[0].Ref, "Ben", "Yes, within 5 days.", "")
	visitor.until(`$$(".theirs .text").some((n) => n.textContent === "Yes, within 5 days.")`)
	visitor.shot(folder, "connect-7-answered")
	if out := s.stderr.String() + s.stdout.String(); strings.Contains(out, phone.Token) {
		t.Error("the token is in the log")
	}
	for _, scheme := range []string{"light", "dark"} {
		protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		b.until(`document.documentElement.scrollWidth <= 390`)
		b.shot(folder, "connect-phone-"+scheme)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	b.run(`[...$$(".button")].find((n) => n.ariaLabel === "Disconnect Telegram").click()`)
	b.until(`$("#ask").open && text("#ask-text").includes("messages from now on are not delivered there") &&
		[...$$(".button")].find((n) => n.ariaLabel === "Disconnect Telegram").textContent === "Disconnect"`)
	b.click("#ask-yes")
	b.card("telegram", "Not connected")
	b.clean()
	visitor.clean()
}

// testConnectOthers: Discord and Slack end with a channel that is chosen from a list.
func testConnectOthers(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	discord, slack := discordtest.New(t), slacktest.New(t)
	discord.Kick()
	slack.Leave()
	s.stop()
	s.instance = bootIn(t, s.dir, "DISCORD_API_URL="+discord.URL+"/api/v10", "SLACK_API_URL="+slack.URL)
	b := s.newOperator(t, "Ada")
	b.settings("channels", "Channels")
	b.click("#connect-discord")
	b.paste(`[aria-labelledby="bridge-discord"] input`, discord.Token)
	b.card("discord", "The bot is relay")
	b.until(`$(".add-bot a").href.includes("permissions=")`)
	discord.Invite()
	b.until(`$('[aria-label="Use Lamp shop · #support"]')`)
	b.shot(folder, "connect-discord")
	b.click(`[aria-label="Use Lamp shop · #support"]`)
	b.state("discord", "Connected")
	b.card("discord", "New conversations begin in #support (Lamp shop). Open in Discord")

	b.click("#connect-slack")
	b.until(`[...$$("a.button")].some((n) => n.textContent === "Create the app" && n.href.includes("manifest_json="))`)
	b.enter(`[aria-labelledby="bridge-slack"] .step .field:nth-of-type(2) input`, slack.BotToken)
	b.enter(`[aria-labelledby="bridge-slack"] .step .field:nth-of-type(3) input`, slack.AppToken)
	b.shot(folder, "connect-slack-tokens")
	b.click(`[aria-labelledby="bridge-slack"] .step .button.main`)
	b.until(`$('[aria-label="Join #support"]') && !$('[aria-labelledby="bridge-slack"] .add-bot')`) // the app is made
	b.shot(folder, "connect-slack")
	b.click(`[aria-label="Join #support"]`)
	b.state("slack", "Connected")
	b.shot(folder, "connect-all")
	b.clean()
}
