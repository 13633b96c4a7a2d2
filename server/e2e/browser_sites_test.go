package e2e

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// chooseSite chooses a website in the bar.
func (b *tab) chooseSite(id string) {
	b.Helper()
	b.run(`(Object.assign($("#site"), {value: "` + id + `"}).dispatchEvent(new Event("change")))`)
}

// sayAt is sayAs at a website.
func (in *instance) sayAt(t *testing.T, key, visitor, content string) (sessionID string) {
	t.Helper()
	at := *in
	at.public = key
	return at.sayAs(t, visitor, visitor+"@example.com", content)
}

// rowsAre are the names of the visitors in the list, in any order.
const rowsAre = `$$("#rows b").map((n) => n.textContent).sort().join()`

// testSites: a second website is added by clicking, and from then on list, counts, settings
// and statistics are about all or about one. Before, nobody sees a word of it.
func testSites(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	ada := s.sayAs(t, "v-ada", "ada@example.com", "Is the lamp in stock?")
	b := s.newOperator(t, "Ada")
	b.until(`$$("#rows a").length === 1`)
	if eval[bool](b, `shown("#site") || $$(".site").length > 0`) {
		t.Error("with one website the inbox speaks of websites")
	}
	b.settings("widget", "Widget")
	b.until(`shown("[data-setting=welcomeMessage]") && !shown(".level")`)
	b.settings("sites", "Websites")
	b.until(`shown("#sites form") && !shown("#sites .member")`)
	b.shot(folder, "sites-one")
	b.click("#sites form [type=submit]")
	b.until(`text("#sites .wrong") === "Give the website a name, like Shop Berlin."`)
	b.enter(`#sites [placeholder="Shop Berlin"]`, "Shop Berlin")
	b.enter(`#sites [type=url]`, "berlin")
	b.click("#sites form [type=submit]")
	b.until(`$$("#sites .wrong").some((n) => n.textContent.startsWith("Address must be the website's"))`)
	b.enter(`#sites [type=url]`, "https://berlin.example.com")
	b.click("#sites form [type=submit]")
	b.until(`text("#sites .site-snippet code").includes("data-api-key") && $$("#sites .member").length === 2 && shown("#site")`)

	var berlin, paris struct{ PublicKey string }
	s.call(t, "GET", s.base+"/api/admin/sites/shop-berlin", s.secret, nil, &berlin)
	s.call(t, "POST", s.base+"/api/admin/sites", s.secret, map[string]any{"name": "Paris", "color": "#0b7285"}, &paris)
	b.until(`$$("#site option").length === 4`)
	ben := s.sayAt(t, berlin.PublicKey, "v-ben", "Guten Tag")
	s.sayAt(t, berlin.PublicKey, "v-ada", "Hallo") // the id of another site's visitor
	s.sayAt(t, paris.PublicKey, "v-eve", "Bonjour")
	b.shot(folder, "sites-three")
	s.sitesInbox(t, b, folder, ada, ben, paris.PublicKey)
	s.sitesSettings(t, b, folder, berlin.PublicKey)
	s.sitesTeam(t, b, folder)
	s.sitesKnowledge(b, folder)
	s.sitesEnd(t, b, folder)
	b.clean("400 (Bad Request)", "409 (Conflict)", "404 (Not Found)") // the last of an erased site's settings
}

// sitesInbox looks at the list of all sites and of one.
func (s *fixture) sitesInbox(t *testing.T, b *tab, folder, ada, ben, paris string) {
	b.click("#inbox-link")
	b.until(rowsAre + ` === "ada@example.com,v-ada@example.com,v-ben@example.com,v-eve@example.com" && $$(".row .site").length === 4`)
	b.until(`$$("#site option").map((n) => n.textContent).join() === "All websites (4),First site (1),Paris (1),Shop Berlin (2)"`)
	b.shot(folder, "sites-inbox")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: feature("prefers-color-scheme", "dark")})
	b.shot(folder, "sites-inbox-dark")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "sites-inbox-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.run(`document.activeElement.blur()`)
	b.press("g", 71)
	b.press("s", 83)
	b.until(`document.activeElement.id === "site"`)
	b.chooseSite("shop-berlin")
	b.until(rowsAre + ` === "v-ada@example.com,v-ben@example.com" && $$(".row .site").length === 0 && text("#filter [data-filter=open] .count") === "2"`)
	s.sayAt(t, paris, "v-pia", "Bonsoir")
	b.until(`$$("#site option").map((n) => n.textContent).join() === "All websites (5),First site (1),Paris (2),Shop Berlin (2)"`)
	if n := eval[int](b, `$$("#rows a").length`); n != 2 {
		t.Errorf("a message at another website makes %d rows of 2", n)
	}
	b.run(`(location.hash = "#/sessions/` + ben + `")`)
	b.until(`shown("#pane") && $("#facts .site")?.textContent === "Shop Berlin"`)
	s.sayAs(t, "v-ada", "ada@example.com", "Hello?")
	b.do(chromedp.Reload())
	b.until(`$("#site")?.value === "shop-berlin" && ` + rowsAre + ` === "v-ada@example.com,v-ben@example.com"`)
	b.run(`(location.hash = "#/sessions/` + ada + `")`) // a link still leads anywhere
	b.until(`shown("#pane") && $("#facts .site")?.textContent === "First site" && !text("#earlier")`)
	eventually(t, "the message can be found", func() bool {
		var found struct{ Messages []struct{ ID string } }
		s.call(t, "GET", s.base+"/api/admin/search?q=lamp", s.secret, nil, &found)
		return len(found.Messages) == 1
	})
	b.enter("#search", "lamp")
	b.until(`shown("#hits") && text("#hits-note") === "No message has these words."`)
	b.chooseSite("")
	b.until(`$$("#hit-rows li").length === 1`)
	b.run(`(Object.assign($("#search"), {value: ""}).dispatchEvent(new Event("change")))`)
	b.until(`$$("#rows a").length === 5`)
	b.click("#statistics-link")
	b.until(`text("#statistics-body .tiles").includes("Conversations5")`)
	b.chooseSite("shop-berlin")
	b.until(`text("#statistics-body .tiles").includes("Conversations2") && $$("#statistics a[download]").every((a) => a.href.includes("site=shop-berlin"))`)
}

// sitesSettings gives one website a value of its own, and takes one over.
func (s *fixture) sitesSettings(t *testing.T, b *tab, folder, key string) {
	welcome := func(key string) string {
		var answer struct{ WelcomeMessage string }
		s.call(t, "GET", s.base+"/api/widget/config", key, nil, &answer)
		return answer.WelcomeMessage
	}
	const field, origin = `[data-setting=welcomeMessage] .input`, `[data-setting=welcomeMessage] .origin`
	b.settings("widget", "Widget")
	b.until(`text(".level span") === "For Shop Berlin only." && text(%s) === "As for all websites." && text("#widget-snippet").includes(%s)`, origin, key)
	before := welcome(s.public)
	b.enter(field, "Servus")
	b.chooseSite("paris")
	b.until(`$("#ask").open && $("#site").value === "shop-berlin"`)
	b.click(`#ask [value="no"]`)
	b.until(`!$("#ask").open && $(%s).value === "Servus"`, field)
	b.click("#save")
	b.until(`text("#save-count") === "Saved." && text(%s).startsWith("For this website only.")`, origin)
	if got := welcome(key) + "," + welcome(s.public); got != "Servus,"+before {
		t.Errorf("the websites welcome with %s", got)
	}
	b.shot(folder, "sites-settings")
	b.chooseSite("paris")
	b.until(`text(".level .site") === "Paris" && $(%s).value === %s`, field, before)
	b.run(`(Object.assign($(".level select"), {value: "shop-berlin"}).dispatchEvent(new Event("change")))`)
	b.until(`$(%s).value === "Servus" && text("#save-count") === "1 change"`, field)
	b.click("#save-discard")
	b.chooseSite("")
	b.until(`text(".level").startsWith("For all websites.") && $(%s).value === %s && text("#widget-snippet").startsWith("Each website")`, field, before)
	b.chooseSite("shop-berlin")
	b.until(`$(%s).value === "Servus"`, field)
	b.click(`[data-setting=welcomeMessage] .link-button`)
	b.until(`$(%s).value === %s && text(%s) === "As for all websites."`, field, before, origin)
	b.settings("ai", "AI")
	b.until(`$("[data-setting=aiModel] .input").disabled && text("[data-setting=aiModel] .origin").startsWith("The same for all websites.") && !$("[data-setting=aiName] .input").disabled`)
	b.accessible("settings of a website")
	b.settings("answers", "Saved answers")
	b.until(`text("#answers .level").startsWith("What can be sent to visitors of Shop Berlin")`)
	b.enter(`#answers [placeholder="hours"]`, "hours")
	b.enter(`#answers form textarea[maxlength="40000"]`, "In Berlin from 9 to 17.")
	b.click("#answers form [type=submit]")
	b.until(`text(".answers li .site") === "Shop Berlin" && text(".answers li p") === "In Berlin from 9 to 17."`)
	b.settings("channels", "Channels")
	b.until(`text("#channels .level") === "For Shop Berlin only."`)
	b.own("telegram", "Telegram is not connected.")
}

// sitesTeam invites somebody for one website, who then sees nothing of the others, and gives
// her a second one.
func (s *fixture) sitesTeam(t *testing.T, b *tab, folder string) {
	b.settings("team", "Team")
	b.until(`$$("#team form:has(.invite) .site-boxes input").length === 3`)
	b.enter(`#team .invite input`, "mia@example.com")
	b.run(`Object.assign($("#team .invite select"), {value: "administrator"})`)
	b.accessible("inviting for a website")
	b.run(`$("#team form:has(.invite) .site-boxes [value=shop-berlin]").click()`)
	b.until(`$("#team form:has(.invite) .site-boxes [value=shop-berlin]").checked`)
	b.click(`#team .invite .button.main`)
	b.until(`text("#team").includes("mia@example.com, administrator for Shop Berlin") && !$("#team form:has(.invite) .site-boxes input:checked")`)
	mia := s.newTab(t)
	mia.visit(eval[string](b, `$("#team .link-card input").value`))
	mia.until(`shown("#invitation-fields")`)
	mia.enter("#name", "Mia")
	mia.enter("#password", "purple monkey dishwasher")
	mia.click("#invitation button")
	mia.until(`text("#link") === "" && ` + rowsAre + ` === "v-ada@example.com,v-ben@example.com" && !shown("#site") && !$(".row .site")`)
	mia.until(`$$("#subnav a, #rail a[data-page]").map((n) => n.dataset.page).join() === ",visitors,knowledge,statistics,settings,widget,answers,greetings,forms,hours,mail,ai,webhook,team,privacy,notifications,account"`)
	mia.settings("widget", "Widget")
	mia.until(`$("[data-setting=welcomeMessage] .input") && !shown(".level") && text("#widget-snippet").includes("data-api-key")`)
	mia.settings("team", "Team")
	mia.until(`text("#team .members").includes("Mia") && text("#team .audit").includes("Mia") && !text("#team").includes("Notified devices")`)
	mia.shot(folder, "sites-team-of-one")

	b.click("#inbox-link")
	b.until(`!shown("#subnav")`)
	b.settings("team", "Team")
	b.until(`text("#team .member .hint").length > 0 && $('[aria-label="Websites of Mia"]')`)
	b.run(`$('[aria-label="Websites of Mia"]').click()`) // the list may move while it is read
	b.until(`$("dialog[open] [value=shop-berlin]").checked && !$("dialog[open] [value=paris]").checked`)
	b.accessible("websites of a person")
	b.shot(folder, "sites-person")
	b.click(`dialog[open] [value=paris]`)
	b.click(`dialog[open] [type=submit]`)
	b.until(`text("#team .members").includes("only Paris, Shop Berlin")`)
	b.shot(folder, "sites-team")
	mia.run(`(location.hash = "#/")`)
	mia.until(`$$("#site option").map((n) => n.value).join() === ",paris,shop-berlin" && $$("#rows a").length === 4`)
	mia.settings("hours", "Hours")
	mia.until(`text(".level").startsWith("For Paris only.")`)
	mia.clean()
}

// sitesKnowledge adds what answers one website's visitors, and gives it to another's.
func (s *fixture) sitesKnowledge(b *tab, folder string) {
	b.click("#knowledge-link")
	b.until(`text("#knowledge .level").startsWith("What answers visitors of Shop Berlin")`)
	b.enter(`#knowledge [placeholder="Opening hours"]`, "Umbrellas")
	b.enter(`#knowledge textarea[maxlength="200000"]`, "They are of nylon.")
	b.run(`$$("#knowledge [type=submit]").find((n) => n.textContent === "Add text").click()`)
	b.until(`$("#knowledge .sources select")?.value === "shop-berlin"`)
	b.chooseSite("paris")
	b.until(`!$("#knowledge .sources select")`)
	b.chooseSite("")
	b.until(`$("#knowledge .sources select")?.value === "shop-berlin" && text("#knowledge .level").startsWith("The sources of all")`)
	b.accessible("knowledge of websites")
	b.shot(folder, "sites-knowledge")
	b.run(`Object.assign($("#knowledge .sources select"), {value: "paris"}).dispatchEvent(new Event("change"))`)
	b.until(`text("#knowledge [role=status]").includes("answers Paris now.")`)
	b.chooseSite("paris")
	b.until(`$("#knowledge .sources select")?.value === "paris"`)
	b.chooseSite("shop-berlin")
}

// siteTravels exports a website, and imports it as another one.
func (b *tab) siteTravels(s *fixture) {
	b.Helper()
	b.until(`$('[data-site=shop-berlin] a[download]')`)
	packed := s.download(b, eval[string](b, `$('[data-site=shop-berlin] a[download]').href`))
	file := filepath.Join(b.TempDir(), "berlin.zip")
	if err := os.WriteFile(file, packed, 0o600); err != nil {
		b.Fatal(err)
	}
	b.run(`$$("#sites [type=submit]").find((n) => n.textContent === "Import website").click()`)
	b.until(`$$("#sites .wrong").some((n) => n.textContent === "Choose a file.")`)
	b.do(chromedp.SetUploadFiles(`#sites input[type=file]`, []string{file}))
	b.run(`$$("#sites [type=submit]").find((n) => n.textContent === "Import website").click()`)
	b.until(`$$("#sites [role=alert]").some((n) => n.textContent.includes("There is a site called")) || $$("#sites .wrong").some((n) => n.textContent.includes("There is a site called"))`)
	b.run(`($("#sites input[type=file]").closest("form").querySelector("input:not([type=file])").value = "Shop Bern")`)
	b.run(`$$("#sites [type=submit]").find((n) => n.textContent === "Import website").click()`)
	b.until(`$$("#sites [role=status]").some((n) => n.textContent === "Shop Bern is here with 2 conversations.") && $("[data-site]") && text("#sites .members").includes("Shop Bern")`)
	b.accessible("importing a website")
}

// download returns what the operator's browser saves from an address.
func (s *fixture) download(b *tab, address string) []byte {
	b.Helper()
	encoded := eval[string](b, fmt.Sprintf(`(async () => {
		const bytes = new Uint8Array(await (await fetch(%q)).arrayBuffer());
		return btoa(Array.from(bytes, (n) => String.fromCharCode(n)).join(""));
	})()`, address))
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// sitesEnd changes, archives and erases websites.
func (s *fixture) sitesEnd(t *testing.T, b *tab, folder string) {
	b.settings("sites", "Websites")
	act := func(site, name string) {
		b.Helper()
		b.until(`$('[data-site=%s]')?.textContent.includes(%s)`, site, name)
		b.run(fmt.Sprintf(`$$('[data-site=%s] button').find((n) => n.textContent === %q).click()`, site, name))
	}
	act("main", "Edit…")
	b.until(`$("dialog.ask[open] input")?.value === "First site"`)
	b.accessible("editing a website")
	b.enter(`dialog.ask[open] input`, "paris")
	b.click(`dialog.ask[open] [type=submit]`)
	b.until(`$$("dialog[open] .wrong").some((n) => n.textContent.includes("There is a site called"))`)
	b.enter(`dialog.ask[open] input`, "Headquarters")
	b.click(`dialog.ask[open] [type=submit]`)
	b.until(`!$("dialog[open]") && text("[data-site=main] b") === "Headquarters" && $$("#site option")[1].textContent.startsWith("Headquarters")`)
	b.siteTravels(s)
	act("paris", "Archive…")
	b.until(`$("#ask").open`)
	b.click("#ask-yes")
	b.until(`text("[data-site=paris] .tag") === "Archived"`)
	b.accessible("websites")
	act("shop-berlin", "Erase…")
	b.until(`$("dialog.ask[open] h2")?.textContent === "Erase Shop Berlin?" && text("dialog[open] .hint").startsWith("2 conversations with")`)
	b.accessible("erasing a website")
	b.enter(`dialog[open] input`, "Shop")
	b.click(`dialog[open] [type=submit]`)
	b.until(`$$("dialog[open] .wrong").some((n) => n.textContent.includes("must be the site's"))`)
	b.enter(`dialog[open] input`, "Shop Berlin")
	b.click(`dialog[open] [type=submit]`)
	b.until(`$$("#sites .member").length === 3 && $("#site").value === ""`)
	b.shot(folder, "sites-after")
}
