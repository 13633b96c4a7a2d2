package e2e

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/assets/browsertest"
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
		"Voice":            testVoice,
		"Webhook":          testWebhook,
		"MoreWebhooks":     testMoreWebhooks,
		"AI":               testAI,
		"Rehearsal":        testRehearsal,
		"EarnedTopic":      testEarnedTopic,
		"OwnAI":            testOwnAI,
		"Actions":          testActions,
		"ActCards":         testActCards,
		"Hours":            testHours,
		"Greetings":        testGreetings,
		"Unsaved":          testUnsaved,
		"FirstSteps":       testFirstSteps,
		"WidgetPage":       testWidgetPage,
		"Problems":         testProblems,
		"FormsPage":        testFormsPage,
		"ConnectTelegram":  testConnectTelegram,
		"ConnectOthers":    testConnectOthers,
		"Sites":            testSites,
		"SiteChannels":     testSiteChannels,
		"ChatPage":         testChatPage,
		"Devices":          testDevices,
		"Hiding":           testHiding,
		"Live":             testLive,
		"TypingPreview":    testTypingPreview,
		"Letters":          testLetters,
		"MailTranscript":   testMailTranscript,
		"SavedAnswers":     testSavedAnswers,
		"Composers":        testComposers,
		"Composing":        testComposing,
		"Drafts":           testDrafts,
		"NoteDraft":        testNoteDraft,
		"Outbox":           testOutbox,
		"NotSentElsewhere": testNotSentElsewhere,
		"Docs":             testDocs,
		"DocsSearch":       testDocsSearch,
		"DocsMoved":        testDocsMoved,
		"DocsSettings":     testDocsSettings,
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
		"Unread":           testUnread,
		"Bulk":             testBulk,
		"Collision":        testCollision,
		"Pickers":          testPickers,
		"SavedViews":       testSavedViews,
		"Transcript":       testTranscript,
		"Contact":          testContact,
		"Merge":            testMerge,
		"WriteFirst":       testWriteFirst,
		"MessageLink":      testMessageLink,
		"Shortcuts":        testShortcuts,
		"Palette":          testPalette,
		"Languages":        testLanguages,
		"GermanProblems":   testGermanProblems,
		"LongLists":        testLongLists,
		"Groups":           testGroups,
		"Presence":         testPresence,
		"Team":             testTeam,
		"Passkeys":         testPasskeys,
		"TwoStep":          testTwoStep,
		"Keys":             testProgramKeys,
		"RequiredTwoStep":  testRequiredTwoStep,
		"Program":          testConsentOfPrograms,
		"SignOn":           testSignOn,
		"Timeline":         testTimeline,
		"Buttons":          testButtons,
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

// startBrowser starts Chromium until the end of the test. Without it the test
// fails: skipping would hide that nothing was tested.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	browser, err := browsertest.Start(chromedp.Flag("lang", "en-GB"), chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-fake-ui-for-media-stream", true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chromedp.Cancel(browser); err != nil {
			t.Errorf("stopping Chromium: %v", err)
		}
	})
	return browser
}

// fixture is a running relay and the browser that a test opens its pages in.
type fixture struct {
	*instance
	browser context.Context
}
