package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

// maxSavedAnswers bounds how many there are.
const maxSavedAnswers = 500

const savedAnswerName = "the name of a saved answer must be 1 to 32 small letters and digits, with - or _ between them, and begin with a letter"

// checkAnswerName rejects names that no command could have, and those of commands: an
// answer must not hide one.
func checkAnswerName(name string) error {
	parsed, is := ParseCommand("!"+name, false)
	odd := func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if !is || parsed.Name != name || parsed.Args != "" || len([]rune(name)) > 32 || strings.ContainsFunc(name, odd) {
		return chat.ErrorAt(chat.Invalid, "name", savedAnswerName)
	}
	if commandNamed(name) != nil {
		return chat.ErrorAt(chat.Invalid, "name", "!"+name+" is a command; choose another name")
	}
	return nil
}

// savedAnswers are the texts that operators send by a command.
type savedAnswers struct {
	store  chat.Store
	config *configuration
	none   bool // in bridge mode, where nothing is kept
}

// SavedAnswers lists the shared answers and a person's own by name, for the visitors of
// whichever site.
func (s *savedAnswers) SavedAnswers(ctx context.Context, by chat.Author) (list []chat.SavedAnswer, err error) {
	err = s.store.ReadOne(ctx, func(rd chat.Reader) error {
		list, err = rd.SavedAnswers(by.Person)
		return err
	})
	for i := range list {
		list[i].Own = list[i].Owner != ""
	}
	return list, err
}

// SavedAnswer finds the answer that a command names: the person's own, else the shared
// one; of either that for the sites' visitors, else that for all. A command's own name stands
// for the command.
func (s *savedAnswers) SavedAnswer(ctx context.Context, by chat.Author, sites chat.SiteSet, name string) (best chat.SavedAnswer, err error) {
	if commandNamed(name) != nil {
		return best, chat.ErrSavedAnswerNotFound
	}
	var all []chat.SavedAnswer
	err = s.store.ReadOne(ctx, func(rd chat.Reader) error {
		all, err = rd.SavedAnswersNamed(by.Person, name)
		return err
	})
	found := false
	for _, a := range all {
		if chat.IsFor(a.Site, sites) && (!found || a.Before(&best)) {
			best, found = a, true
		}
	}
	if err == nil && !found {
		err = chat.ErrSavedAnswerNotFound
	}
	return best, err
}

// Withholds reports whether no visitor may see a text: see [Withheld]; a line that is
// the name of a saved answer counts as a command.
func (s *savedAnswers) Withholds(ctx context.Context, by chat.Author, text string, slash bool) (bool, error) {
	if Withheld(text, slash) {
		return true, nil
	}
	for _, line := range strings.FieldsFunc(text, isLineEnd) {
		parsed, is := ParseCommand(line, slash)
		if !is || s.none {
			continue
		}
		if _, err := s.SavedAnswer(ctx, by, nil, parsed.Name); !errors.Is(err, chat.ErrSavedAnswerNotFound) {
			return err == nil, err
		}
	}
	return false, nil
}

// errNoOwner means that an own answer was asked for by nobody in the team.
var errNoOwner = &chat.Error{Kind: chat.Invalid, Text: "own answers belong to a person of the team: sign in at the console"}

// SaveAnswer saves a text under a name, for the team or the person alone and the visitors
// of a site or of all, replacing an earlier one.
func (s *savedAnswers) SaveAnswer(ctx context.Context, by chat.Author, site, name, content string, own bool) (a chat.SavedAnswer, err error) {
	if own && by.Person == "" {
		return a, errNoOwner
	}
	content = strings.TrimSpace(content)
	if err := cmp.Or(checkAnswerName(name), CheckContent(chat.SenderOperator, content)); err != nil {
		return a, err
	}
	if Withheld(content, true) {
		return a, chat.ErrorAt(chat.Invalid, "content", "a line of the content starts with // or with a command, which no visitor may see")
	}
	a = chat.SavedAnswer{Site: site, Name: name, Content: content, SavedBy: by.Name, UpdatedAt: chat.Now(), Own: own}
	if own {
		a.Owner = by.Person
	}
	return a, s.store.Apply(ctx, func(tx chat.Tx) error {
		known, err := tx.SavedAnswersNamed(a.Owner, name)
		if err == nil && !slices.ContainsFunc(known, a.Replaces) {
			err = roomForAnswer(tx, a.Owner)
		}
		if err != nil {
			return err
		}
		return tx.PutSavedAnswer(&a)
	})
}

func roomForAnswer(tx chat.Tx, owner string) error {
	n, err := tx.CountSavedAnswers(owner)
	if err == nil && n >= maxSavedAnswers {
		return chat.Errorf(chat.Conflict, "There are %d saved answers, which is the most. Remove one first: !forget name", n)
	}
	return err
}

// DeleteSavedAnswer removes a shared answer, or a person's own, for the visitors of a site
// or of all.
func (s *savedAnswers) DeleteSavedAnswer(ctx context.Context, by chat.Author, site, name string, own bool) error {
	owner := ""
	if own {
		if owner = by.Person; owner == "" {
			return errNoOwner
		}
	}
	return s.store.Apply(ctx, func(tx chat.Tx) error { return tx.DeleteSavedAnswer(owner, site, name) })
}
