package e2e

import (
	"cmp"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// testAxeChannels: axe-core finds nothing in the steps of connecting the three platforms.
// The cards stand on one page, so one look sees a step of each.
func testAxeChannels(t *testing.T, s *fixture) {
	telegram, discord, slack := telegramtest.New(t), discordtest.New(t), slacktest.New(t)
	telegram.Kick()
	telegram.SwitchTopics(false)
	discord.Kick()
	slack.Leave()
	s.stop()
	s.instance = bootIn(t, s.dir, "TELEGRAM_API_URL="+telegram.URL, "DISCORD_API_URL="+discord.URL+"/api/v10", "SLACK_API_URL="+slack.URL)
	b := s.newOperator(t, "Ada")
	b.still()
	b.settings("channels", "Channels")
	for _, name := range []string{"telegram", "discord", "slack"} {
		b.click("#connect-" + name)
		b.until(`document.activeElement.type === "password"`)
	}
	b.until(`[...$$("a.button")].some((n) => n.textContent === "Create the app" && n.href.includes("manifest_json="))`)
	b.accessible("channels, tokens")
	field := func(name string, n string) string {
		return `[aria-labelledby="bridge-` + name + `"] .step .field:nth-of-type(` + n + `) input`
	}
	b.enter(field("telegram", "1"), "7000000001:AAcanary-revoked-0123456789")
	b.card("telegram", "Telegram does not accept the bot token")
	b.enter(field("discord", "1"), strings.Repeat("wrong", 12))
	b.card("discord", "Discord does not accept the bot token")
	b.enter(field("slack", "2"), "xoxb-wrong")
	b.enter(field("slack", "3"), "xapp-wrong")
	b.click(`[aria-labelledby="bridge-slack"] .step .button.main`)
	b.card("slack", "Slack does not accept the")
	b.accessible("channels, wrong tokens")
	b.paste(field("telegram", "1"), telegram.Token)
	b.until(`shown(".qr")`)
	b.paste(field("discord", "1"), discord.Token)
	b.card("discord", "Waiting for the bot")
	b.enter(field("slack", "2"), slack.BotToken)
	b.enter(field("slack", "3"), slack.AppToken)
	b.click(`[aria-labelledby="bridge-slack"] .step .button.main`)
	b.until(`$('[aria-label="Join #support"]')`)
	b.accessible("channels, bots")
	telegram.Add(false)
	b.card("telegram", "Topics are off in the group")
	discord.Invite()
	b.until(`$('[aria-label="Use Lamp shop · #support"]')`)
	b.accessible("channels, places")
	telegram.SwitchTopics(true)
	telegram.Add(true)
	b.state("telegram", "Connected")
	b.click(`[aria-label="Use Lamp shop · #support"]`)
	b.state("discord", "Connected")
	b.click(`[aria-label="Join #support"]`)
	b.state("slack", "Connected")
	b.click("#test-telegram")
	b.until(`text('[aria-labelledby="bridge-telegram"] .findings').includes("posted something and removed it")`)
	b.accessible("channels, connected")
}

// testAxeAccess: nor in what shows how people get in.
func testAxeAccess(t *testing.T, s *fixture) {
	s.console = strings.Replace(s.console, "127.0.0.1", "localhost", 1)
	b := s.newOperator(t, "Ada")
	b.still()
	device := newAuthenticator(b)
	b.settings("account", "Your account")
	b.until(`$("#account input")?.value === "Ada"`)
	b.enter(`#account input[type=email]`, "ada@example.com")
	b.enter(`#account input[type=password]`, "correct horse battery")
	b.click(`#account .button.main`)
	const keys = `section[aria-labelledby=settings-passkeys]`
	add := func(password string) {
		b.until(`shown(%s)`, keys+" form")
		b.enter(keys+" input", "MacBook")
		b.enter(keys+" input[type=password]", password)
		b.click(keys + " .button.main")
	}
	add("correct horse battery")
	b.until(`text(%s).includes("MacBook")`, keys+" .member")
	add("wrong wrong wrong")
	b.until(`text(%s) === "The current password is wrong."`, keys+" .wrong")
	b.accessible("passkeys")
	s.choosesMails(b)
	b.click(`[aria-label="Rename MacBook"]`)
	b.accessible("passkey to rename")
	b.run(`(location.hash = "#/team")`)
	b.click(`[aria-label="Access of Ada"]`)
	b.until(`text("dialog.access").includes("(this one)") && text("dialog.access").includes("MacBook")`)
	b.accessible("access of a person")
	b.press("Escape", 27)
	b.click(`[aria-label="Names of Ada on platforms"]`)
	b.until(`shown("dialog[open]")`)
	b.accessible("names of a person")
	b.press("Escape", 27)
	b.click("#me")
	b.click(`#me-menu [type=submit]`)
	b.until(`$("#login-title") && shown("#passkey button")`)
	yes := true
	protocol(b, webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{AuthenticatorID: device, IsBogusSignature: &yes})
	b.click("#passkey button")
	b.until(`text("#login-error").startsWith("This passkey does not open this console.")`)
	b.accessible("sign-in, wrong passkey")
}

// choosesMails chooses when e-mails come, which is there after a reload.
func (s *fixture) choosesMails(b *tab) {
	b.Helper()
	const mails = `[aria-labelledby="settings-e-mails-to-you"]`
	const when, minutes, at = mails + ` select`, mails + ` [type=number]`, mails + ` [type=time]`
	set := func(selector, value, saved string) {
		b.Helper()
		b.until(`$(%s)?.checkVisibility() && Object.assign($(%[1]s), {value: %[2]s}).dispatchEvent(new Event("change"))`, selector, value)
		b.until(`await fetch("/api/admin/me").then((r) => r.json()).then((me) => JSON.stringify(me.preferences).includes(%s))`, saved)
		b.until(`text(%s) === "Saved."`, mails+" [role=status]")
	}
	set(when, "daily", `"mail":{"when":"daily"}`)
	set(at, "17:30", `"dailyAt":"17:30"`)
	b.accessible("daily e-mails")
	set(when, "unanswered", `"mail":{"when":"unanswered","minutes":15}`)
	set(minutes, "20", `"minutes":20`)
	b.accessible("e-mails after some minutes")
	b.run("$(`" + mails + "`).scrollIntoView()")
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), b.TempDir()), "e-mails-to-you")
	b.do(chromedp.Reload())
	b.until(`$(%s)?.value === "unanswered" && $(%s).value === "20" && !shown(%s)`, when, minutes, at)
}

// answers500 lets relay fail: what is asked of its API is answered 500 until restore().
const answers500 = `((real) => {
	window.fetch = (url, init) => String(url).includes("/api/admin/") ? Promise.resolve(Response.json({error: "the database is locked"}, {status: 500})) : real(url, init);
	window.restore = () => { window.fetch = real; };
})(fetch)`

// testAxeTrouble: nor in what a search finds or does not, and where relay fails or is gone.
func testAxeTrouble(t *testing.T, s *fixture) {
	ann := s.sayAs(t, "v-ann", "ann.lamp@example.com", "Is the **lamp** in stock?")
	s.sayAs(t, "v-bob", "bob.lamp@example.com", "A lamp for Bob")
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+ann+"/messages", s.secret, map[string]any{"content": "The lamp is sold out", "operatorName": "Grace", "internal": true}, nil)
	b := s.newOperator(t, "Ada")
	b.still()
	b.until(`await fetch("/api/admin/search?q=lamp").then((r) => r.json()).then((a) => a.messages.length === 3)`) // they are indexed
	b.enter("#search", "lamp")
	b.until(`$$("#hit-rows a").length === 3 && $$("#rows a").length === 2`)
	b.accessible("found")
	b.enter("#search", "chandelier")
	b.until(`!$("#hit-rows a") && text("#hits-note") === "No message has these words." && text("#list-note") !== "Loading…"`)
	b.accessible("nothing found")
	b.run(answers500)
	b.enter("#search", "ann")
	b.until(`shown("#list-retry") && shown("#hits-retry")`)
	b.run(`(location.hash = "#/sessions/` + ann + `")`)
	b.until(`shown("#thread-retry")`)
	b.accessible("inbox that failed")
	b.run(`restore()`)
	for _, what := range []string{"list", "hits", "thread"} {
		b.click("#" + what + "-retry")
		b.until(`!shown(%s)`, "#"+what+"-retry")
	}
	for _, name := range []string{"channels", "answers", "mail", "webhook", "team", "system", "notifications", "account", "statistics", "knowledge"} {
		b.run(answers500)
		b.run(`(location.hash = "#/` + name + `")`)
		b.until(`shown(%s) && $$(%s).some((n) => n.checkVisibility() && n.textContent.includes("the database is locked"))`, "#"+name+"-title", "#"+name+" .alert")
		b.accessible(name + " that failed")
		b.run(`restore()`)
		b.click("#" + name + " .alert button")
		b.until(`!$$(%s).some((n) => n.checkVisibility()) && document.activeElement.closest(%s)`, "#"+name+" .alert", "#"+name)
	}
	b.run(`(location.hash = "#/sessions/` + ann + `")`)
	b.until(`shown("#composer") && $(".message")`) // loaded before relay goes
	s.stop()
	b.until(`text("#link") === "Reconnecting…"`)
	b.write("It is on its way")
	b.until(`text(".local .meta").includes("waiting to be sent")`)
	b.accessible("connection lost")
}
