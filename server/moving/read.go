package moving

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// The bounds of what is read.
const (
	maxSiteFile     = 256 << 20 // knowledge may be large
	maxConversation = 128 << 20
	maxID           = 200
	maxText         = 1 << 20
)

// archive is a site's zip.
type archive struct {
	manifest      manifest
	conversations []*zip.File
	files         map[string]*zip.File
	hash          string // of site.json, which has the moment of the export
}

// invalid says what is wrong with a part of the file.
func invalid(part, format string, args ...any) error {
	return chat.ErrorAt(chat.Invalid, "file", part+": "+fmt.Sprintf(format, args...))
}

// read opens a site's zip and checks every part of it.
func read(from io.ReaderAt, size int64) (*archive, error) {
	z, err := zip.NewReader(from, size)
	if err != nil {
		return nil, chat.ErrorAt(chat.Invalid, "file", "The file is no zip that relay sites export wrote")
	}
	a := &archive{files: map[string]*zip.File{}}
	var about *zip.File
	for _, f := range z.File {
		switch name := f.Name; {
		case name == siteFile:
			about = f
		case strings.HasPrefix(name, conversationsDir):
			a.conversations = append(a.conversations, f)
		case strings.HasPrefix(name, filesDir):
			a.files[strings.TrimPrefix(name, filesDir)] = f
		}
	}
	if about == nil {
		return nil, chat.ErrorAt(chat.Invalid, "file", "The file has no site.json: it is no zip that relay sites export wrote")
	}
	if err := decode(about, maxSiteFile, &a.manifest); err != nil {
		return nil, err
	}
	a.hash = chat.Hash(string(chat.MustJSON(a.manifest)))[:32]
	if a.manifest.Format != format {
		return nil, invalid(siteFile, "it has the format %d, and this relay reads %d. Update relay", a.manifest.Format, format)
	}
	if !a.manifest.bounded() {
		return nil, invalid(siteFile, "it has more than %d webhooks, %d incoming hooks or %d actions", chat.MaxHooks, chat.MaxIncomingHooks, chat.MaxActions)
	}
	ids, visitors := map[string]bool{}, map[string]bool{}
	for _, f := range a.conversations {
		c, err := a.conversation(f)
		if err != nil {
			return nil, err
		}
		s := &c.Session
		if ids[s.ID] || s.Resumable && visitors[s.VisitorID] {
			return nil, invalid(f.Name, "the conversation, or its visitor's open one, is twice in the zip")
		}
		ids[s.ID], visitors[s.VisitorID] = true, visitors[s.VisitorID] || s.Resumable
	}
	return a, nil
}

// decode reads a JSON file of the zip, all of whose texts every database stores.
func decode(f *zip.File, most int64, into any) error {
	if f.UncompressedSize64 > uint64(most) {
		return invalid(f.Name, "it is larger than %d MiB", most>>20)
	}
	r, err := f.Open()
	if err != nil {
		return invalid(f.Name, "it cannot be read: %v", err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return invalid(f.Name, "it cannot be read: %v", err)
	case int64(len(data)) > most:
		return invalid(f.Name, "it is larger than %d MiB", most>>20)
	case !utf8.Valid(data) || bytes.Contains(data, []byte(`\u0000`)):
		return invalid(f.Name, "it is not UTF-8 text without NUL characters")
	}
	if err := json.Unmarshal(data, into); err != nil {
		line := 1
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line += bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		}
		return invalid(f.Name, "line %d: %v", line, err)
	}
	return nil
}

// conversation reads and checks one conversation.
func (a *archive) conversation(f *zip.File) (*conversation, error) {
	c := &conversation{}
	if err := decode(f, maxConversation, c); err != nil {
		return nil, err
	}
	s := &c.Session
	switch {
	case !isID(s.ID) || !isID(s.VisitorID) || len(s.Browser) > maxID || len(s.ContinuedIn) > maxID || len(s.Merged) > maxID || s.MovedOn < chat.NotMoved || s.MovedOn > chat.MovedOpen || len(s.TokenHash) > maxID || len(s.Devices) > maxText:
		return nil, invalid(f.Name, "its session has no right id")
	case s.Status != chat.StatusOpen && s.Status != chat.StatusClosed:
		return nil, invalid(f.Name, "its status is neither open nor closed")
	case s.Rev < 0 || s.InitRev < 0 || s.InitRev > s.Rev || s.StartedAt == 0 || s.Unread < 0 || s.CSAT.Score < 0 || s.CSAT.Score > 5:
		return nil, invalid(f.Name, "its numbers do not fit together")
	case !isObject(s.Identity) || !isObject(s.PreChat):
		return nil, invalid(f.Name, "identity and preChat must be objects")
	}
	if err := a.checkMessages(f.Name, c); err != nil {
		return nil, err
	}
	for i := range c.Timeline {
		t := &c.Timeline[i]
		event := chat.Event{Type: t.Type}
		if !event.For(chat.Timeline) || t.Rev < 0 || t.Rev > s.Rev || len(t.Data) == 0 || !isObject(t.Data) {
			return nil, invalid(f.Name, "entry %d of its timeline is none", i+1)
		}
	}
	return c, nil
}

// checkMessages checks a conversation's messages and the files that they name.
func (a *archive) checkMessages(name string, c *conversation) error {
	last, twice := int64(0), map[string]bool{}
	for i := range c.Messages {
		m := &c.Messages[i]
		known := m.Sender == chat.SenderVisitor || m.Sender == chat.SenderOperator || m.Sender == chat.SenderAI
		if !isID(m.ID) || !known || m.Seq <= last || m.Seq > c.Session.Rev || len(m.Content) > maxText || len(m.ClientID) > maxID {
			return invalid(name, "message %d is not one that relay wrote", i+1)
		}
		own := fmt.Sprint(m.Sender == chat.SenderVisitor, " ", m.ClientID)
		if twice[m.ID] || m.ClientID != "" && twice[own] {
			return invalid(name, "message %d is twice there", i+1)
		}
		last, twice[m.ID], twice[own] = m.Seq, true, true
		for _, at := range m.Attachments.V {
			if !slices.ContainsFunc(c.Files, func(f file) bool { return f.ID == at.ID }) {
				return invalid(name, "message %d has a file that is not in the zip", i+1)
			}
		}
	}
	for i := range c.Files {
		f := &c.Files[i]
		stored := a.files[f.ID]
		if !isID(f.ID) || stored == nil || f.Size < 0 || stored.UncompressedSize64 != uint64(f.Size) {
			return invalid(name, "the file %q is not in the zip as it should be", chat.Clip(f.Filename, 60))
		}
	}
	return nil
}

func isID(id string) bool { return id != "" && len(id) <= maxID }

// isObject reports whether JSON is an object, or absent.
func isObject(data chat.Raw) bool {
	return len(data) == 0 || bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && len(data) <= maxText || string(data) == "null"
}
