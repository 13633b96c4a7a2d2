package chat

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The steps of the rule for a visitor whom nobody has answered.
const (
	StepRing = "ring" // operators are notified once more
	StepTell = "tell" // the visitor gets a text
	StepMail = "mail" // somebody of the team gets an e-mail
	StepAI   = "ai"   // the AI answers, though somebody is there
)

// Limits of the rule.
const (
	maxUnansweredSteps = 10
	maxUnansweredWait  = 7 * 24 * 60 // minutes
	maxUnansweredText  = 1000
)

// UnansweredStep is one step of the setting unanswered.
type UnansweredStep struct {
	After int64  `json:"after"` // minutes since the visitor's earliest message without an answer
	Do    string `json:"do"`
	Text  string `json:"text,omitempty"` // of StepTell
	To    string `json:"to,omitempty"`   // an e-mail address, of StepMail
}

// Wait is how long after the visitor's message the step is due.
func (u *UnansweredStep) Wait() time.Duration { return time.Duration(u.After) * time.Minute }

// Unanswered are the steps of the setting of that name, in their order.
func (s *Settings) Unanswered() (steps []UnansweredStep) {
	s.decode("unanswered", &steps)
	return steps
}

// unanswered checks the setting of that name.
func unanswered(value json.RawMessage) error {
	const must = `a list of steps like {"after":5,"do":"ring"}, {"after":10,"do":"ai"}, {"after":15,"do":"tell","text":"Thank you for waiting."} and {"after":30,"do":"mail","to":"team@shop.example"}`
	if err := shape[[]UnansweredStep](must)(value); err != nil {
		return err
	}
	var list []UnansweredStep
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxUnansweredSteps {
		return checkError("must be a list of at most 10 steps")
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return err
		}
		if i > 0 && list[i].After < list[i-1].After {
			return checkError("[].after must not be less than in the step before")
		}
	}
	return nil
}

func (u *UnansweredStep) check() error {
	switch length := utf8.RuneCountInString(u.Text); {
	case u.After < 1 || u.After > maxUnansweredWait:
		return checkError("[].after must be a number of minutes from 1 to " + strconv.Itoa(maxUnansweredWait))
	case !slices.Contains([]string{StepRing, StepTell, StepMail, StepAI}, u.Do):
		return checkError("[].do must be ring, tell, mail or ai")
	case u.Do == StepTell && (strings.TrimSpace(u.Text) == "" || length > maxUnansweredText):
		return checkError("[].text must have 1 to 1000 characters")
	case u.Do != StepTell && u.Text != "":
		return checkError("[].text is for the step tell")
	case u.Do == StepMail && CleanAddress(u.To) == "":
		return checkError("[].to must be an e-mail address like team@shop.example")
	case u.Do != StepMail && u.To != "":
		return checkError("[].to is for the step mail")
	}
	return nil
}

// Unanswered is the payload of [EventUnanswered].
type Unanswered struct {
	At      Time  `json:"at"`
	Minutes int64 `json:"minutes"` // since the visitor's message
	// Content is what operators read of it.
	Content string `json:"content"`
}

// UnansweredSince is what operators are told of a visitor who waits since a time.
func UnansweredSince(since, now Time) Unanswered {
	minutes := int64(now.Sub(since) / time.Minute)
	amount := strconv.FormatInt(minutes, 10) + " minutes"
	switch {
	case minutes == 1:
		amount = "a minute"
	case minutes >= 48*60:
		amount = strconv.FormatInt(minutes/60/24, 10) + " days"
	case minutes >= 120:
		amount = strconv.FormatInt(minutes/60, 10) + " hours"
	}
	return Unanswered{At: now, Minutes: minutes, Content: "Nobody has answered for " + amount + "."}
}
