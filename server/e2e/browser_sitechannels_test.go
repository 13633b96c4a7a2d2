package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// own waits until a platform's card of a website contains a text.
func (b *tab) own(name, text string) {
	b.Helper()
	b.until(`$(%s)?.closest("section").innerText.includes(%s)`, "#own-"+name, text)
}

// testSiteChannels: a website gets a Telegram group and a Slack channel of its own by
// clicking, its visitors are answered there, and it goes back to the common one.
func testSiteChannels(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	phone, slack := telegramtest.New(t), slacktest.New(t)
	s.stop()
	group, _ := json.Marshal(phone.Group)
	s.instance = bootIn(t, s.dir, "TELEGRAM_API_URL="+phone.URL, "TELEGRAM_BOT_TOKEN="+phone.Token, "TELEGRAM_CHAT_ID="+string(group),
		"SLACK_API_URL="+slack.URL, "SLACK_BOT_TOKEN="+slack.BotToken, "SLACK_APP_TOKEN="+slack.AppToken, "SLACK_CHANNEL_ID="+slack.Channel)
	var shop struct{ PublicKey string }
	s.call(t, "POST", s.base+"/api/admin/sites", s.secret, map[string]any{"name": "Shop", "color": "#0b7285"}, &shop)
	b := s.newOperator(t, "Ada")
	b.settings("channels", "Channels")
	b.state("telegram", "Connected")
	b.until(`text(".level") === "For all websites. To give one of them a channel of its own, choose it in the bar at the top."`)
	b.chooseSite("shop")
	b.own("telegram", "New conversations begin in the channel of all websites, with this website’s name.")
	b.own("discord", "Discord is not connected. Connect it for all websites first")
	b.until(`!shown("#bridge-telegram") && !shown("#own-connect-discord")`)
	b.accessible("channels of a website")
	b.click("#own-connect-telegram")
	b.own("telegram", "Waiting for the bot to be added to a group")
	b.until(`shown("#own-channels .qr") && !shown("#own-channels [type=password]")`)
	b.accessible("choosing a channel of a website")
	b.shot(folder, "site-channels-1")
	away := phone.AddChannel()
	b.until(`$('#own-channels [aria-label="Use Support"]')`) // not by itself: anybody can add a bot
	b.click(`#own-channels [aria-label="Use Support"]`)
	b.own("telegram", "New conversations begin in a channel of its own.")
	other := slack.AddChannel()
	b.click("#own-connect-slack")
	join := `[aria-label="Join #` + strings.ToLower(other) + `"]`
	b.until(`$(%s)`, join)
	b.own("slack", "Here already: First site, Shop")
	b.click(join)
	b.own("slack", "New conversations begin in a channel of its own.")
	b.run(`[...$$("#own-channels .button")].find((n) => n.ariaLabel === "Test Telegram").click()`)
	b.until(`text('[aria-labelledby="own-telegram"] .findings').includes("posted something and removed it")`)
	b.shot(folder, "site-channels-2")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: feature("prefers-color-scheme", "dark")})
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "site-channels-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})

	id := s.sayAt(t, shop.PublicKey, "v-ben", "Do you ship to Norway?")
	var ref string
	eventually(t, "the thread in the website's group", func() bool {
		for _, th := range phone.Threads() {
			if th.Channel == away && len(th.Messages) > 1 {
				ref = th.Ref
			}
		}
		return ref != "" && len(slack.Threads()) > 0
	})
	if th := slack.Threads()[0]; th.Channel != other {
		t.Errorf("in Slack it stands in %s, want %s", th.Channel, other)
	}
	phone.Write(ref, "Ben", "Yes, within 5 days.", "")
	b.run(`(location.hash = "#/sessions/` + id + `")`)
	b.until(`text("#pane").includes("Yes, within 5 days.")`)
	b.settings("channels", "Channels")
	b.chooseSite("")
	b.card("telegram", "In a channel of their own: Shop.")
	b.chooseSite("shop")
	b.own("telegram", "New conversations begin in a channel of its own.")
	b.run(`[...$$("#own-channels .button")].find((n) => n.ariaLabel === "Use the common channel Telegram").click()`)
	b.until(`$("#ask").open && text("#ask-text").includes("Threads that are open stay where they are.")`)
	b.click("#ask-yes")
	b.own("telegram", "New conversations begin in the channel of all websites")
	s.sayAt(t, shop.PublicKey, "v-eve", "And to Iceland?")
	eventually(t, "the thread in the common group", func() bool {
		for _, th := range phone.Threads() {
			if th.Channel == string(group) && strings.HasPrefix(th.Title, "Shop · ") {
				return true
			}
		}
		return false
	})
	b.clean()
}
