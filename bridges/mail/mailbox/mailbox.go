// Package mailbox reads what arrives in a mailbox (IMAP, RFC 9051), once, in its order. It
// deletes nothing, and touches only what its owner takes.
package mailbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
)

// Limits and pauses.
const (
	batch      = 20              // headers that are fetched together
	idleFor    = 4 * time.Minute // shorter than what routers keep an idle line open
	settleFor  = 2 * time.Second // the first wait after an e-mail; each further one is twice as long
	lookAgain  = time.Minute     // at servers that announce nothing
	patience   = 30 * time.Second
	overlap    = 48 * time.Hour // SINCE knows days, of no time zone
	firstPause = 5 * time.Second
	maxPause   = 5 * time.Minute
)

// Keyword marks what relay has taken, beside \Seen.
const Keyword imap.Flag = "relay"

// Mail is an e-mail in the mailbox.
type Mail struct {
	Head  []byte // the beginning of its header, up to so many bytes as were asked for
	Size  int64
	whole func(use func(io.Reader) error) error
}

// Whole fetches all of the e-mail. An error of use is returned as it is.
func (m *Mail) Whole(use func(io.Reader) error) error { return m.whole(use) }

// Verdict is what becomes of an e-mail.
type Verdict int

// What is left, stays as it is, for people. What is taken gets the keyword, or is moved.
const (
	Left Verdict = iota
	Taken
)

// Options are the parts of a Reader.
type Options struct {
	Box    chat.Mailbox
	SignIn oauth.SignIn // where Box has no password
	MoveTo string       // a folder for what is taken, "" to leave it where it is
	Head   int64        // bytes of a header that are fetched
	// Place is where reading goes on. Save stores it, before the e-mails behind it are read.
	Place Place
	Save  func(context.Context, Place) error
	// Take handles an e-mail. After an error it is read again.
	Take func(context.Context, *Mail) (Verdict, error)
	// Note is told whenever the state may have changed: nil while all is well.
	Note func(*Failure)
	Log  *slog.Logger
}

// Place is how far a mailbox has been read.
type Place struct {
	Validity uint32    `json:"validity"`
	Next     imap.UID  `json:"next"`
	Since    chat.Time `json:"since"` // when the newest e-mail that was read arrived, as the server has it
}

// Reader reads a mailbox.
type Reader struct {
	opts  Options
	place Place
}

// New returns a reader, which reads nothing before its Run.
func New(o Options) *Reader { return &Reader{o, o.Place} }

// Run reads until ctx ends. It connects again whenever the line breaks.
func (r *Reader) Run(ctx context.Context) {
	pause := chat.Backoff(firstPause, maxPause)
	for failed := 0; ctx.Err() == nil; {
		begun := time.Now()
		err := r.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) > maxPause {
			failed = 0
		}
		failed++
		r.opts.Note(explain(&r.opts.Box, err))
		_ = chat.Rest(ctx, pause(failed)) // ctx ends the loop
	}
}

// session reads until the line breaks.
func (r *Reader) session(ctx context.Context) error {
	line, err := open(ctx, &r.opts.Box, r.opts.SignIn)
	if err != nil {
		return err
	}
	defer line.close()
	box, err := line.client.Select(r.opts.Box.Folder, nil).Wait()
	if err != nil {
		return &folderError{r.opts.Box.Folder, err}
	}
	line.keeps = keepsKeywords(box.PermanentFlags)
	if err := r.find(ctx, line, box); err != nil {
		return err
	}
	// Some servers do not announce what arrives right before one waits: it is looked for soon.
	most := settleFor
	for {
		before := r.place
		line.forget()
		if err := r.readNew(ctx, line); err != nil {
			return err
		}
		r.opts.Note(nil)
		most = min(2*most, idleFor)
		if r.place != before {
			most = settleFor
		}
		if err := line.wait(ctx, most); err != nil {
			return err
		}
	}
}

// keepsKeywords reports whether a mailbox keeps flags that nobody has defined.
func keepsKeywords(flags []imap.Flag) bool {
	return slices.Contains(flags, imap.FlagWildcard) || slices.Contains(flags, Keyword)
}

// find sets the place in the mailbox. A mailbox that is new to relay is read from now on. One
// whose numbers begin anew (RFC 9051, 2.3.1.1) has what arrived since the last e-mail read again: what was
// taken of it is known.
func (r *Reader) find(ctx context.Context, line *line, box *imap.SelectData) error {
	switch {
	case r.place.Validity == box.UIDValidity:
		return nil
	case r.place.Validity == 0:
		return r.move(ctx, Place{box.UIDValidity, max(box.UIDNext, 1), chat.Now()})
	}
	since := r.place.Since.Std().Add(-overlap)
	found, err := line.client.UIDSearch(&imap.SearchCriteria{Since: since}, nil).Wait()
	if err != nil {
		return err
	}
	next := max(box.UIDNext, 1)
	for _, uid := range found.AllUIDs() {
		next = min(next, uid)
	}
	return r.move(ctx, Place{box.UIDValidity, next, r.place.Since})
}

func (r *Reader) move(ctx context.Context, to Place) error {
	if err := r.opts.Save(ctx, to); err != nil {
		return err
	}
	r.place = to
	return nil
}

// readNew reads what is behind the place, oldest first.
func (r *Reader) readNew(ctx context.Context, line *line) error {
	for {
		uids, err := r.behind(line)
		if err != nil || len(uids) == 0 {
			return err
		}
		heads, err := r.fetchHeads(line, uids)
		if err != nil {
			return err
		}
		place := r.place
		for i := range heads {
			h := &heads[i]
			if err := r.readOne(ctx, line, h); err != nil {
				return errors.Join(err, r.moveOn(ctx, place)) // not over what was read already
			}
			place.Next, place.Since = h.uid+1, max(place.Since, h.at)
		}
		place.Next = max(place.Next, uids[len(uids)-1]+1) // some were removed meanwhile
		if err := r.move(ctx, place); err != nil {
			return err
		}
	}
}

// moveOn is move after an error, which is the one to report.
func (r *Reader) moveOn(ctx context.Context, to Place) error {
	if to == r.place {
		return nil
	}
	return r.move(ctx, to)
}

// behind lists the first e-mails behind the place.
func (r *Reader) behind(line *line) ([]imap.UID, error) {
	var rest imap.UIDSet
	rest.AddRange(r.place.Next, 0) // up to the last, which is there even if its number is smaller
	found, err := line.client.UIDSearch(&imap.SearchCriteria{UID: []imap.UIDSet{rest}}, nil).Wait()
	if err != nil {
		return nil, err
	}
	uids := found.AllUIDs()
	for len(uids) > 0 && uids[0] < r.place.Next {
		uids = uids[1:]
	}
	return uids[:min(len(uids), batch)], nil
}

// head is the beginning of an e-mail.
type head struct {
	uid  imap.UID
	at   chat.Time
	size int64
	text []byte
	done bool // it has the keyword
}

// fetchHeads fetches the headers of e-mails, in their order.
func (r *Reader) fetchHeads(line *line, uids []imap.UID) ([]head, error) {
	sections := []*imap.FetchItemBodySection{{Specifier: imap.PartSpecifierHeader, Peek: true, Partial: &imap.SectionPartial{Size: r.opts.Head}}}
	found := map[uint32]*head{}
	err := line.fetch(imap.UIDSetNum(uids...), &imap.FetchOptions{UID: true, Flags: true, InternalDate: true, RFC822Size: true, BodySection: sections},
		func(number uint32, item imapclient.FetchItemData, text io.Reader) (err error) {
			h := found[number]
			if h == nil {
				h = &head{}
				found[number] = h
			}
			switch item := item.(type) {
			case imapclient.FetchItemDataUID:
				h.uid = item.UID
			case imapclient.FetchItemDataRFC822Size:
				h.size = item.Size
			case imapclient.FetchItemDataInternalDate:
				h.at = chat.TimeOf(item.Time)
			case imapclient.FetchItemDataFlags:
				h.done = slices.Contains(item.Flags, Keyword)
			case imapclient.FetchItemDataBodySection:
				h.text, err = io.ReadAll(text)
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	var heads []head
	for _, h := range found { // some are gone, and of others only the flags have changed
		if h.text != nil && slices.Contains(uids, h.uid) {
			heads = append(heads, *h)
		}
	}
	slices.SortFunc(heads, func(a, b head) int { return cmp.Compare(a.uid, b.uid) })
	return heads, nil
}

// readOne has an e-mail handled. What has the keyword was handled before relay's mailbox
// numbered its e-mails anew.
func (r *Reader) readOne(ctx context.Context, line *line, h *head) error {
	if h.done {
		return nil
	}
	m := &Mail{Head: h.text, Size: h.size, whole: func(use func(io.Reader) error) error { return line.whole(h.uid, use) }}
	verdict, err := r.opts.Take(ctx, m)
	if err != nil || verdict != Taken {
		return err
	}
	return r.mark(line, h.uid)
}

// mark shows people that relay has an e-mail. That a server refuses it changes nothing else.
func (r *Reader) mark(line *line, uid imap.UID) error {
	flags := []imap.Flag{imap.FlagSeen}
	if line.keeps {
		flags = append(flags, Keyword)
	}
	set := imap.UIDSetNum(uid)
	err := line.client.Store(set, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: flags}, nil).Close()
	if err == nil && r.opts.MoveTo != "" {
		err = line.moveTo(set, r.opts.MoveTo)
	}
	var refused *imap.Error
	if errors.As(err, &refused) {
		r.opts.Log.Warn("the mailbox does not let relay mark or move an e-mail that it has taken", "err", err)
		return nil
	}
	return err
}
