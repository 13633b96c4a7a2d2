package db

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Finding reports for relay doctor whether the database can be used; err is what
// using it failed with.
func Finding(url string, err error) chat.Finding {
	f := chat.Finding{Subject: placeOf(url), Level: chat.FindingOK, Text: "it can be read and written"}
	switch {
	case url == "":
		f.Text = "none is needed in bridge mode"
	case errors.Is(err, ErrNone):
		f.Level, f.Text, f.Fix = chat.FindingWarn, "there is none yet",
			"start relay: it makes one. If relay runs already, run doctor in its folder, or with its --env-file"
	case errors.Is(err, ErrDamaged):
		f.Level, f.Text, f.Fix = chat.FindingFail, err.Error(), "stop relay and put a backup in its place: relay restore FILE"
	case errors.Is(err, ErrNewer):
		f.Level, f.Text, f.Fix = chat.FindingFail, err.Error(), "put the newer program back in the place of this one"
	case errors.Is(err, chat.ErrStorageFull):
		f.Level, f.Text, f.Fix = chat.FindingFail, err.Error(), "make room on the disk, or raise the quota; if neither is used up, the disk fails"
	case errors.Is(err, errDirect):
		f.Level, f.Text = chat.FindingFail, err.Error()
		f.Fix = "correct host, port and database name of DATABASE_DIRECT_URL; leave it out if no pooler is in between"
	case err != nil:
		f.Level, f.Text = chat.FindingFail, err.Error()
		f.Fix = "check DATABASE_URL, and that this user may read and write there"
	}
	return f
}

// placeOf names a database without its secrets.
func placeOf(url string) string {
	path, isFile := strings.CutPrefix(url, "sqlite://")
	switch {
	case url == "":
		return "memory"
	case !isFile:
		return "PostgreSQL"
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
