// Package keyring keeps the keys of an installation: the public and the secret one, the
// window in which the secret one is shown, and what pages and links are signed with. It
// knows no routes, and imports chat, config and team only.
package keyring

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// The names under which the store keeps the keys.
const (
	metaPublicKey   = "public_key"
	metaSecretHash  = "secret_hash"
	metaSecretPlain = "secret_plain" // only while the set-up window is open
	// metaSecretBefore is the hash of the secret key before, a space and until when it
	// works: programs need a moment to get the new one. It ends when the new one is used.
	metaSecretBefore = "secret_before"
	metaSetupOpened  = "setup_opened"
	metaFileKey      = "file_key" // signs links to files

	// The keys from the running relay's settings, "" for none: commands may run
	// without these settings.
	metaPresetPublic = "preset_public"
	metaPresetSecret = "preset_secret" // a hash
)

// Limits of the set-up window.
const (
	setupWindow = 24 * time.Hour
	// Age is how long the keys are trusted before they are read again:
	// they can be rotated by another process.
	Age = time.Second
	// keyGrace is how long the key before works at most.
	keyGrace = 10 * time.Minute
)

// Ring holds the two keys of an installation and the window in which the
// secret one is shown.
type Ring struct {
	store  chat.Store
	log    *slog.Logger
	mode   config.Setup
	code   string // opens the set-up page; new at each start, unless several nodes share it
	shared bool
	preset keys

	mu     sync.Mutex
	keys   keys
	readAt time.Time
	unread chat.LogThrottle
}

// keys are as the store has them.
type keys struct {
	public       string
	secretHash   string
	secretBefore string // as stored
	secretPlain  string
	openedAt     chat.Time
	fileKey      string
}

// Open reads the keys for a server, and creates them at the first start.
// It stores which ones cfg presets, for [Join].
func Open(ctx context.Context, store chat.Store, cfg config.Config, log *slog.Logger) (*Ring, error) {
	k := newRing(store, cfg, log)
	return k.open(ctx, store.Apply(ctx, func(tx chat.Tx) error {
		return putMeta(tx, map[string]string{metaPresetPublic: k.preset.public, metaPresetSecret: k.preset.secretHash})
	}))
}

// Join reads the keys for a sub-command, including those preset for the
// server and missing in cfg.
func Join(ctx context.Context, store chat.Store, cfg config.Config, log *slog.Logger) (*Ring, error) {
	k := newRing(store, cfg, log)
	return k.open(ctx, store.Read(ctx, func(r chat.Reader) error {
		for name, preset := range map[string]*string{metaPresetPublic: &k.preset.public, metaPresetSecret: &k.preset.secretHash} {
			noted, err := r.Meta(name)
			if err != nil {
				return err
			}
			*preset = cmp.Or(*preset, noted)
		}
		return nil
	}))
}

func newRing(store chat.Store, cfg config.Config, log *slog.Logger) *Ring {
	k := &Ring{store: store, log: log, mode: cfg.Setup, code: newCode(), preset: keys{public: cfg.PublicKey}}
	k.shared = strings.HasPrefix(string(cfg.DatabaseURL), "postgres")
	if cfg.SecretKey != "" {
		k.preset.secretHash = chat.Hash(string(cfg.SecretKey))
	}
	return k
}

// open reads the keys, unless err says that preparing them failed.
func (k *Ring) open(ctx context.Context, err error) (*Ring, error) {
	if err == nil {
		err = k.create(ctx)
	}
	if err == nil {
		_, err = k.read(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	if now := k.current(); k.shared { // whichever node a browser reaches
		sum := sha256.Sum256([]byte("set-up code:" + now.fileKey + now.secretHash))
		k.code = codeOf(base32.StdEncoding.EncodeToString(sum[:]))
	}
	k.expire()
	return k, nil
}

// Run closes the set-up window a day after it was opened. It lasts until ctx ends.
func (k *Ring) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			k.expire()
		}
	}
}

// expire erases the plain secret when the set-up window was open for a day.
func (k *Ring) expire() {
	if k.current().secretPlain != "" && !k.SetupOpen() {
		k.CloseSetup("it was open for a day, or is not wanted")
	}
}

// create makes the keys if there are none.
func (k *Ring) create(ctx context.Context) error {
	public, secret := NewPublicKey(), "sk_"+chat.NewToken()
	return k.store.Apply(ctx, func(tx chat.Tx) error {
		have, err := tx.LockMeta(metaPublicKey) // several nodes may start for the first time
		if err != nil || have != "" {
			return err
		}
		shown := secret
		if k.preset.secretHash != "" {
			shown = "" // nobody will ever need the generated one
		}
		return putMeta(tx, map[string]string{metaPublicKey: public, metaSecretHash: chat.Hash(secret),
			metaSecretPlain: shown, metaSetupOpened: chat.Now().String(), metaFileKey: chat.NewToken()})
	})
}

// putMeta stores only values that differ, so that most starts write nothing.
func putMeta(tx chat.Tx, values map[string]string) error {
	for name, value := range values {
		have, err := tx.Meta(name)
		if err == nil && have != value {
			err = tx.PutMeta(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads the keys from the store.
func (k *Ring) read(ctx context.Context) (keys, error) {
	var read keys
	err := k.store.Read(ctx, func(r chat.Reader) error {
		var opened string
		for name, field := range map[string]*string{metaPublicKey: &read.public, metaSecretHash: &read.secretHash, metaSecretBefore: &read.secretBefore,
			metaSecretPlain: &read.secretPlain, metaSetupOpened: &opened, metaFileKey: &read.fileKey} {
			var err error
			if *field, err = r.Meta(name); err != nil {
				return err
			}
		}
		return read.openedAt.UnmarshalJSON([]byte(`"` + opened + `"`))
	})
	if err != nil {
		return keys{}, err
	}
	if k.preset.public != "" {
		read.public = k.preset.public
	}
	if k.preset.secretHash != "" {
		read.secretHash, read.secretBefore, read.secretPlain = k.preset.secretHash, "", ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys, k.readAt = read, time.Now()
	return read, nil
}

// current returns the keys, not older than keyringAge unless the store fails.
func (k *Ring) current() keys {
	k.mu.Lock()
	known, fresh := k.keys, time.Since(k.readAt) < Age
	if !fresh {
		k.readAt = time.Now() // one reader is enough
	}
	k.mu.Unlock()
	if fresh {
		return known
	}
	read, err := k.read(context.Background())
	if err != nil {
		if n := k.unread.Allow(); n > 0 {
			k.log.Error("cannot read the keys; using the last known ones", "err", err, "count", n)
		}
		return known
	}
	return read
}

// Public returns the public key.
func (k *Ring) Public() string { return k.current().public }

// PublicOf returns a site's public key: the first one's is the ring's.
func (k *Ring) PublicOf(site *chat.Site) string {
	if site.ID == "" {
		return k.Public()
	}
	return site.Key
}

// IsPublic reports whether key is the public key.
func (k *Ring) IsPublic(key string) bool { return key != "" && chat.SameSecret(key, k.Public()) }

// State is the answer of [Ring.Check].
type State int

const (
	Wrong State = iota
	Current
	Replaced // it still works, but for what would outlive it
)

// Check reports whether key is the secret key, or the one before in its last minutes.
func (k *Ring) Check(key string) State {
	if key == "" {
		return Wrong
	}
	hash, now := chat.Hash(key), k.current()
	if chat.SameSecret(hash, now.secretHash) {
		k.retire(now)
		return Current
	}
	if before := now.before(chat.Now()); before != "" && chat.SameSecret(hash, before) {
		return Replaced
	}
	return Wrong
}

// before is the hash of the key before as long as it works, else "".
func (k *keys) before(at chat.Time) string {
	hash, until, _ := strings.Cut(k.secretBefore, " ")
	var end chat.Time
	if end.UnmarshalJSON([]byte(`"`+until+`"`)) != nil || until == "" || at >= end {
		return ""
	}
	return hash
}

// retire ends the previous secret key, since the new one is in use.
func (k *Ring) retire(now keys) {
	if now.secretBefore == "" {
		return
	}
	ctx := context.Background()
	err := k.store.Apply(ctx, func(tx chat.Tx) error { return tx.PutMeta(metaSecretBefore, "") })
	if err == nil {
		_, err = k.read(ctx)
	}
	if err != nil {
		k.log.Error("the old secret key still works", "err", err)
	}
}

// SigningKey returns a key for cookies; it changes with the secret key.
func (k *Ring) SigningKey(purpose string) []byte {
	return []byte(chat.Hash(purpose + ":" + k.current().secretHash))
}

// LastingKey returns a key for a purpose that never changes.
func (k *Ring) LastingKey(purpose string) []byte {
	return []byte(chat.Hash(purpose + ":" + k.current().fileKey))
}

// Generation changes whenever the secret key does; connections let in by an
// earlier one must end.
func (k *Ring) Generation() string {
	now := k.current()
	return now.secretHash + now.before(chat.Now())
}

// Links returns the maker of links to files, below base. Its key never
// changes.
func (k *Ring) Links(base string) *chat.FileLinks {
	return chat.NewFileLinks(k.current().fileKey, base)
}

// MailThreads makes the names by which answers to e-mails find their conversation.
func (k *Ring) MailThreads() *chat.MailThreads {
	return chat.NewMailThreads(k.LastingKey("mail threads"))
}

// SetupOpen reports whether the secret key can still be shown.
func (k *Ring) SetupOpen() bool {
	now := k.current()
	return k.mode != config.SetupOff && now.secretPlain != "" && chat.Now().Sub(now.openedAt) < setupWindow
}

// SetupCode returns the code that opens the set-up page.
func (k *Ring) SetupCode() string { return k.code }

// TryCode reports whether code opens the set-up page. Wrong ones cost nothing: nobody finds
// 60 random bits within the day that the window is open.
func (k *Ring) TryCode(code string) bool {
	return chat.SameSecret(strings.ToUpper(strings.TrimSpace(code)), k.code)
}

// CloseSetup ends the set-up window and erases the plain secret.
func (k *Ring) CloseSetup(why string) {
	ctx := context.Background()
	err := k.store.Apply(ctx, func(tx chat.Tx) error { return tx.PutMeta(metaSecretPlain, "") })
	if err == nil {
		_, err = k.read(ctx)
	}
	if err != nil {
		k.log.Error("cannot close the set-up window", "err", err)
		return
	}
	k.log.Info("set-up window closed: the secret key is no longer shown", "why", why)
}

// Show returns both keys; the secret one is empty when the set-up window is
// closed.
func (k *Ring) Show(ctx context.Context) (public, secret string, err error) {
	now, err := k.read(ctx)
	if err != nil || !k.SetupOpen() {
		return now.public, "", err
	}
	return now.public, now.secretPlain, nil
}

// SecretPreset reports whether RELAY_SECRET_KEY sets the secret key.
func (k *Ring) SecretPreset() bool { return k.preset.secretHash != "" }

func NewPublicKey() string { return "pk_" + chat.NewToken() }

// newCode makes a set-up code of 60 random bits, XXXX-XXXX-XXXX.
func newCode() string { return codeOf(rand.Text()) }

func codeOf(t string) string { return t[:4] + "-" + t[4:8] + "-" + t[8:12] }
