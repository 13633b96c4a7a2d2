package e2e

import "testing"

// testButtons: what the operator writes as buttons the visitor taps, and both see what was said.
func testButtons(t *testing.T, s *fixture) {
	p := s.newPair(t, "Is it in stock?")
	p.operator.run(`(Object.assign($("#composer"), { value: "Shall I put one aside?\n[[Yes, please]] [[No]]\n[[Our shop | https://shop.example/]]" })
		.dispatchEvent(new Event("input", { bubbles: true })), $("#composer").focus())`)
	p.operator.press("Enter", 13)
	p.operator.until(`text(".message.from-operator:last-child .bubble") === "Shall I put one aside?▸ Yes, please▸ No▸ Our shop"`)
	p.visitor.until(`$$(".theirs button.chip").map((n) => n.textContent).join() === "Yes, please,No" && $(".theirs a.chip").href === "https://shop.example/"`)
	p.visitor.run(`$(".theirs button.chip").click()`)
	p.operator.until(`text(".message.from-visitor:last-child .bubble") === "Yes, please"`)
	p.visitor.until(`!$(".theirs button.chip") && $(".theirs a.chip")`)
	p.operator.clean()
	p.visitor.clean()
}
