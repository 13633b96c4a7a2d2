package e2e

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// newAuthenticator gives a tab a device that verifies its person without asking.
func newAuthenticator(b *tab) webauthn.AuthenticatorID {
	b.Helper()
	protocol(b, webauthn.Enable, webauthn.EnableParams{})
	return protocol(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true, HasUserVerification: true,
		IsUserVerified: true, AutomaticPresenceSimulation: true}}).AuthenticatorID
}

// testPasskeys: Chromium's own authenticator adds a passkey, signs in without an address,
// and is refused after the passkey was removed. An administrator sees how people get in.
func testPasskeys(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	s.console = strings.Replace(s.console, "127.0.0.1", "localhost", 1)
	ada := s.newOperator(t, "Ada")
	device := newAuthenticator(ada)
	ada.settings("account", "Your account")
	ada.until(`$("#account input")?.value === "Ada"`)
	ada.enter(`#account input[type=email]`, "ada@example.com")
	ada.enter(`#account input[type=password]`, "correct horse battery")
	ada.click(`#account .button.main`)
	section := func(name string) string { return `section[aria-labelledby=settings-` + name + `]` }
	keys := section("passkeys")
	ada.until(`shown(%s) && text(%s) === "None yet."`, keys+" form", keys+" .members")
	ada.enter(keys+" input", "MacBook")
	ada.enter(keys+" input[type=password]", "wrong wrong wrong")
	ada.click(keys + " .button.main")
	ada.until(`text(%s) === "The current password is wrong."`, keys+" .wrong")
	ada.enter(keys+" input[type=password]", "correct horse battery")
	ada.click(keys + " .button.main")
	ada.until(`$$(%s).length === 1 && text(%s).includes("MacBook") && text(%s).includes("not used yet")`, keys+" .member", keys+" .member", keys+" .member")
	ada.run(`($("#account").scrollTop = 520)`)
	ada.shot(folder, "passkeys")
	ada.enter(keys+" input[type=password]", "correct horse battery")
	ada.click(keys + " .button.main")
	ada.until(`text(%s) === "This device already has one of your passkeys."`, keys+" .alert")
	ada.click(`[aria-label="Rename MacBook"]`)
	ada.enter(keys+" .rename input", "Laptop")
	ada.click(keys + " .rename .button")
	ada.until(`text(%s).includes("Laptop")`, keys+" .member")

	signIn := func() {
		ada.until(`!$("#presence").disabled && text("#link") === ""`)
		ada.click("#me")
		ada.click(`#me-menu [type=submit]`)
		ada.until(`$("#login-title") && shown("#passkey button")`)
		ada.shot(folder, "passkey-login")
		ada.click("#passkey button")
	}
	signIn()
	ada.until(`$("#rows") && text("#me .me-name") === "Ada"`)
	if used := protocol(ada, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: device}).Credentials; len(used) != 1 || used[0].RpID != "localhost" {
		t.Errorf("the device has %+v", used)
	}
	yes := true
	protocol(ada, webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{AuthenticatorID: device, IsBogusSignature: &yes})
	signIn()
	ada.until(`text("#login-error").startsWith("This passkey does not open this console.")`)
	protocol(ada, webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{AuthenticatorID: device})
	ada.click("#passkey button")
	ada.until(`$("#rows") && text("#me .me-name") === "Ada"`)

	ada.run(`(location.hash = "#/team")`)
	ada.until(`$("[aria-label='Access of Ada']")`)
	ada.click(`[aria-label="Access of Ada"]`)
	ada.until(`text("dialog.access").includes("(this one)") && text("dialog.access").includes("Laptop")`)
	ada.shot(folder, "access")
	ada.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	ada.shot(folder, "access-phone")
	ada.do(chromedp.EmulateViewport(1280, 800))
	ada.click(`[aria-label="Remove the passkey Laptop"]`)
	ada.until(`$("#ask").open`)
	ada.click("#ask-yes")
	ada.until(`text("dialog.access").includes("None yet.")`)
	ada.click("dialog.access .button.main")
	signIn()
	ada.until(`text("#login-error").startsWith("This passkey does not open this console.") && !$("#passkey button").disabled`)
	s.console = strings.Replace(s.console, "localhost", "127.0.0.1", 1)
	ada.visit(s.console)
	ada.until(`$("#login-title") && !shown("#passkey")`)
	ada.clean("400 (Bad Request)", "401 (Unauthorized)", "403 (Forbidden)")
}
