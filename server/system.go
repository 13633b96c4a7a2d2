package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/web"
)

// System shows and backs up the database.
type System interface {
	Storage(ctx context.Context) (chat.Storage, error)
	// Check is the state of the check after an unclean stop.
	Check() string
	// Finding says whether there is a recent backup.
	Finding() chat.Finding
	Backups() ([]chat.BackupFile, error)
	// BackUpNow returns the name of the new backup.
	BackUpNow(ctx context.Context) (name string, err error)
	OpenBackup(name string) (*os.File, error)
	// BackUpToSend makes a backup that is removed when it is closed.
	BackUpToSend(ctx context.Context) (*chat.FreshBackup, error)
}

// systemAPI is about relay itself: its state, backups and keys.
type systemAPI struct {
	*web.Clients
	web.Auditor
	engine  *engine.Engine
	keys    *keyring.Ring
	system  System
	bridges Bridges
	finder  Search
	version string
}

// queueView is what waits for a channel.
type queueView struct {
	Name    string    `json:"name"`
	Waiting int       `json:"waiting"`
	Oldest  chat.Time `json:"oldest"`
}

func queueViews(list []chat.Queue) []queueView {
	views := []queueView{}
	for _, q := range list {
		if !slices.Contains(chat.OwnSinks, q.Name) {
			views = append(views, queueView(q))
		}
	}
	return views
}

// state answers GET /api/admin/system: health in words, queues, storage, backups.
func (s *systemAPI) state(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	ctx := r.Context()
	storage, err := s.system.Storage(ctx)
	if err != nil {
		return nil, err
	}
	files, err := s.system.Backups()
	if err != nil {
		s.Log.Warn("the backups cannot be listed", "err", err)
	}
	var deliveries, updates []chat.Queue
	err = s.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		deliveries, updates, err = rd.Queues()
		return err
	})
	if err != nil {
		return nil, err
	}
	findings, err := s.findings(ctx, &storage)
	free, total := s.engine.Store.Room()
	return map[string]any{"version": s.version, "findings": findings, "storage": storage,
		"disk":       map[string]int64{"free": free, "total": total},
		"deliveries": queueViews(deliveries), "updates": queueViews(updates),
		"backups": map[string]any{"dir": s.Config.BackupDir, "keep": s.Config.BackupKeep, "files": files}}, err
}

// findings say what is well and what is not, each with what to do.
func (s *systemAPI) findings(ctx context.Context, storage *chat.Storage) ([]chat.Finding, error) {
	list := []chat.Finding{s.writes(ctx), checked(storage), s.roomFinding(), s.system.Finding()}
	if p, err := s.finder.Progress(ctx); err != nil {
		return nil, err
	} else if !p.Complete() {
		list = append(list, chat.Fine("search", fmt.Sprintf("older conversations are being indexed: %d of %d can be searched", p.Done, p.Total)))
	}
	states, err := s.bridges.States(ctx)
	for i := range states {
		b := &states[i]
		switch {
		case b.LastError != "":
			list = append(list, chat.Finding{Subject: b.Name, Level: chat.FindingFail, Text: b.LastError, Fix: b.Fix, Details: b.Details})
		case b.Failed != nil:
			list = append(list, chat.Finding{Subject: b.Name, Level: chat.FindingWarn, Text: "deliveries were given up: " + b.Failed.Reason, Fix: "retry or discard them on the page Channels"})
		case b.State == "running":
			list = append(list, chat.Fine(b.Name, "connected"))
		}
	}
	return s.engine.Settings().FindingsInConsole(list), err
}

func (s *systemAPI) writes(ctx context.Context) chat.Finding {
	if err := s.engine.Store.Ping(ctx); err != nil {
		return chat.Bad("database", "it does not accept writes", "make room on the disk, or start the database server; relay continues by itself")
	}
	return chat.Fine("database", "it accepts writes")
}

// checked reports the check after an unclean stop.
func checked(storage *chat.Storage) chat.Finding {
	switch storage.Check {
	case chat.CheckRunning:
		return chat.Finding{Subject: "database file", Level: chat.FindingWarn, Text: "relay was not stopped in order, and the file is still being checked", Fix: "nothing to do; it ends by itself"}
	case chat.CheckDamaged:
		return chat.Bad("database file", "it is damaged", "stop relay and restore a backup: relay restore FILE")
	}
	return chat.Fine("database file", "no damage is known")
}

func (s *systemAPI) roomFinding() chat.Finding {
	if _, low := s.engine.RoomLow(); low {
		return chat.Finding{Subject: "disk", Level: chat.FindingWarn, Text: "there is little room left", Fix: "make room: when it is full nothing can be stored"}
	}
	return chat.Fine("disk", "there is room")
}

// backupTime bounds a backup that somebody waits for.
const backupTime = 10 * time.Minute

// backUp answers POST /api/admin/system/backups with the name of the new backup.
func (s *systemAPI) backUp(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(backupTime))
	name, err := s.system.BackUpNow(r.Context())
	if err != nil {
		return nil, s.backupFailed(err)
	}
	s.Audit(r, by, chat.AuditBackupMade, name, "")
	return map[string]string{"name": name}, nil
}

// backupFailed says to an administrator why, also what is not said to others.
func (s *systemAPI) backupFailed(err error) error {
	if ours := (*chat.Error)(nil); errors.As(err, &ours) {
		return err
	}
	s.Log.Error("a backup failed", "err", err)
	return &web.Error{Status: http.StatusConflict, Text: "The backup failed: " + strings.TrimSpace(err.Error())}
}

// sendBackup answers GET /api/admin/system/backup with a backup of this moment, which
// stays nowhere on the server.
func (s *systemAPI) sendBackup(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(backupTime))
	f, err := s.system.BackUpToSend(r.Context())
	if err != nil {
		return nil, s.backupFailed(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditBackup, f.Name, "made for it")
	sendFile(w, r, f.File, f.Name, info.ModTime())
	return web.Written{}, nil
}

func sendFile(w http.ResponseWriter, r *http.Request, f *os.File, name string, at time.Time) {
	web.Attachment(w, "application/vnd.sqlite3", name)
	http.ServeContent(web.Patient(w), r, name, at, f)
}

// downloadBackup answers GET /api/admin/system/backups/{name} with the file, as it is
// read.
func (s *systemAPI) downloadBackup(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	f, err := s.system.OpenBackup(web.PathVar(r, "name"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditBackup, info.Name(), "")
	sendFile(w, r, f, info.Name(), info.ModTime())
	return web.Written{}, nil
}

// damaged says what is known of the database's file after an unclean stop, "" for
// nothing.
func (s *Server) damaged() string {
	if s.system == nil {
		return ""
	}
	switch s.system.Check() {
	case chat.CheckRunning:
		return "The database is still being checked after an unclean stop"
	case chat.CheckDamaged:
		return "The database is damaged; restore a backup"
	}
	return ""
}
