package e2e

import (
	"context"
	"maps"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBrowser drives real pages of a real relay. One Chromium serves all
// tests; each test has a relay and browser profiles of its own.
func TestBrowser(t *testing.T) {
	browser := startBrowser(t)
	tests := map[string]func(*testing.T, *fixture){
		"FirstRun":         testFirstRun,
		"Snippet":          testSnippet,
		"QuietBeforeOpen":  testQuietBeforeOpen,
		"Conversation":     testConversation,
		"Restart":          testRestart,
		"WrittenWhileDown": testWrittenWhileDown,
		"Resume":           testResume,
		"Attention":        testAttention,
		"Axe":              testAxe,
		"AxeChannels":      testAxeChannels,
		"AxeAccess":        testAxeAccess,
		"AxeTrouble":       testAxeTrouble,
		"Files":            testFiles,
		"Hostile":          testHostile,
		"Screenshots":      testScreenshots,
		"Webhook":          testWebhook,
		"AI":               testAI,
		"OwnAI":            testOwnAI,
		"Hours":            testHours,
		"Greetings":        testGreetings,
		"Unsaved":          testUnsaved,
		"WidgetPage":       testWidgetPage,
		"Problems":         testProblems,
		"FormsPage":        testFormsPage,
		"ConnectTelegram":  testConnectTelegram,
		"ConnectOthers":    testConnectOthers,
		"SavedAnswers":     testSavedAnswers,
		"Composers":        testComposers,
		"Composing":        testComposing,
		"Drafts":           testDrafts,
		"NoteDraft":        testNoteDraft,
		"Outbox":           testOutbox,
		"NotSentElsewhere": testNotSentElsewhere,
		"Docs":             testDocs,
		"Block":            testBlock,
		"Bridges":          testBridges,
		"Toast":            testToast,
		"Focus":            testFocus,
		"Landmarks":        testLandmarks,
		"Quiet":            testQuiet,
		"Search":           testSearch,
		"SearchMessages":   testSearchMessages,
		"SearchKeys":       testSearchKeys,
		"Navigation":       testNavigation,
		"WaitingList":      testWaitingList,
		"Shortcuts":        testShortcuts,
		"LongLists":        testLongLists,
		"Groups":           testGroups,
		"Presence":         testPresence,
		"Team":             testTeam,
		"Passkeys":         testPasskeys,
		"Timeline":         testTimeline,
		"Notes":            testNotes,
		"Undelivered":      testUndelivered,
		"Knowledge":        testKnowledge,
		"Statistics":       testStatistics,
		"Privacy":          testPrivacy,
		"Notify":           testNotify,
		"System":           testSystem,
		"Touch":            testTouch,
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tests[name](t, &fixture{bootIn(t, t.TempDir()), browser})
		})
	}
}

// startBrowser starts Chromium with a blank first tab. Without it the test
// fails: skipping would hide that nothing was tested.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Fatal("Chromium is missing. `make test` installs it, or alone: .ci/setup chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(time.Minute), chromedp.Flag("lang", "en-GB"))
	for _, flag := range []string{"disable-quic", "disable-component-update"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	browser, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if err := chromedp.Cancel(browser); err != nil {
			t.Errorf("stopping Chromium: %v", err)
		}
	})
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	return browser
}

// fixture is a running relay and the browser that a test opens its pages in.
type fixture struct {
	*instance
	browser context.Context
}
