package chat

import (
	"encoding/json"
	"slices"
)

// The values of a page rule's do: what the widget does on the pages of the rule.
const (
	PageShow  = "show"  // it is there, whatever later rules and hiddenPages say
	PageHide  = "hide"  // it is not there
	PageDelay = "delay" // it comes after some seconds, unless the visitor knows it
	PageOpen  = "open"  // the chat opens by itself after some seconds, once
)

// PageRule is what the widget does on some pages. The first rule that fits a page counts.
type PageRule struct {
	// Page is a path like /pricing or /shop/*.
	Page string `json:"page"`
	Do   string `json:"do"`
	// Seconds is how long the visitor has been on the page.
	Seconds int `json:"seconds,omitempty"`
}

// Bounds of page rules.
const (
	maxPageRules = 30
	maxPageWait  = 3600 // seconds
)

// PageRules returns the rules in their order.
func (s *Settings) PageRules() (rules []PageRule) {
	s.decode("pageRules", &rules)
	return rules
}

// pageRules checks the setting of that name.
func pageRules(value json.RawMessage) error {
	const must = `a list of rules like {"page":"/checkout*","do":"hide"} or {"page":"/pricing","do":"open","seconds":20}`
	if err := shape[[]PageRule](must)(value); err != nil {
		return err
	}
	var list []PageRule
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxPageRules {
		return checkError("must be a list of at most 30 rules")
	}
	for _, r := range list {
		switch waits := r.Do == PageDelay || r.Do == PageOpen; {
		case !isPagePattern(r.Page):
			return checkError("must have a path like /checkout or /shop/* as page in every rule")
		case !slices.Contains([]string{PageShow, PageHide, PageDelay, PageOpen}, r.Do):
			return checkError("must have show, hide, delay or open as do in every rule")
		case r.Seconds < 0 || r.Seconds > maxPageWait:
			return checkError("must have seconds from 0 to 3600 in every rule")
		case !waits && r.Seconds > 0:
			return checkError("must have seconds only in rules with delay or open")
		case r.Do == PageDelay && r.Seconds == 0:
			return checkError("must have seconds, 1 or more, in every rule with delay")
		}
	}
	return nil
}
