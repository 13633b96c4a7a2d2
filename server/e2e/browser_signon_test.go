package e2e

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/signon/signontest"
)

// testSignOn: an administrator sets single sign-on up, somebody of the provider signs in by the
// button, and while the provider is away the page says so and offers the other ways.
func testSignOn(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	provider := signontest.New(t)
	provider.Claims = map[string]any{"sub": "grace-1", "email": "grace@example.com", "email_verified": true, "name": "Grace"}
	ada := s.newOperator(t, "Ada")
	ada.settings("sso", "Sign-in")
	for setting, value := range map[string]string{"oidcIssuer": provider.URL, "oidcClient": signontest.Client, "oidcSecret": signontest.Secret, "oidcName": "Example"} {
		ada.enter("[data-setting="+setting+"] .input", value)
	}
	ada.enter("[data-setting=oidcDomains] textarea", "example.com")
	ada.click("#sign-on-test")
	ada.until(`text("#sign-on-answer").startsWith("Ready")`)
	ada.until(`text("#sign-on-answer").includes("Redirect address: it is http")`)
	ada.shot(folder, "sign-on")
	ada.accessible("single sign-on")

	grace := s.newTab(t)
	grace.visit(s.console)
	grace.until(`text("#sign-on") === "Sign in with Example"`)
	grace.accessible("the page to sign in, with a provider")
	grace.click("#sign-on")
	grace.until(`$("#rows") && !$("#presence").disabled && text("#link") === ""`)
	if name := eval[string](grace, `document.body.dataset.operatorName || document.body.textContent`); !strings.Contains(name, "Grace") {
		t.Errorf("signed in is %q", name)
	}

	provider.Leave(true)
	ada.click("#sign-on-test")
	ada.until(`text("#sign-on-answer").startsWith("Failed Example cannot be reached")`)
	late := s.newTab(t)
	late.visit(s.console)
	late.click("#sign-on")
	late.until(`text("#login-error").startsWith("Example cannot be reached at the moment") && $("#email")`)
	late.shot(folder, "sign-on-away")
}
