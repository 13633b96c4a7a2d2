package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/oauth2"
)

// testConsentOfPrograms: the page on which somebody lets a program in is one that all can use, in
// light and dark and on the narrowest phone; a refusal stands where it is read out; allowing leads
// back with a code.
func testConsentOfPrograms(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	registration := `{"client_name":"A program with quite a long name for a narrow phone","redirect_uris":["` + s.base + `/called-back"]}`
	resp, err := http.Post(s.base+"/oauth/register", "application/json", strings.NewReader(registration))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var program struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&program); err != nil || program.ID == "" {
		t.Fatalf("registering answers %d, %v", resp.StatusCode, err)
	}
	query := url.Values{"client_id": {program.ID}, "redirect_uri": {s.base + "/called-back"}, "response_type": {"code"}, "code_challenge_method": {"S256"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())}, "scope": {"read note"}, "state": {"s1"}}
	ada := s.newOperator(t, "Ada")
	ada.settings("account", "Your account")
	ada.enter(`#account input[type=email]`, "ada@example.com")
	ada.enter(`#account input[type=password]`, password)
	ada.click(`#account .button.main`)
	ada.until(`$("#settings-personal-tokens") && text("#account h2") === "You"`)

	ada.visit(s.base + "/console/connect?" + query.Encode())
	ada.until(`text("h1").startsWith("Let “A program with quite a long name")`)
	ada.accessible("the question about a program")
	ada.shot(folder, "program")
	ada.do(chromedp.EmulateViewport(320, 640, chromedp.EmulateMobile, chromedp.EmulateTouch))
	if wide := eval[int](ada, `document.documentElement.scrollWidth`); wide > 320 {
		t.Errorf("the page is %d pixels wide on a phone of 320", wide)
	}
	if small := eval[string](ada, tooSmall); small != "" {
		t.Errorf("too small for fingers:\n%s", small)
	}
	ada.shot(folder, "program-phone")
	ada.do(chromedp.EmulateViewport(1280, 800))
	ada.run(`($$("[name=scope]").forEach((box) => box.checked = false))`)
	ada.click("button.main")
	ada.until(`text("#connect-error") !== ""`)
	ada.accessible("a program without any right")
	ada.shot(folder, "program-problem")
	ada.run(`($("[name=scope]").checked = true)`)
	ada.click("button.main")
	ada.until(`location.pathname === "/called-back" && new URLSearchParams(location.search).get("code") && location.search.includes("state=s1")`)
}
