package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/config"
)

// TestSystem: an administrator sees how relay is doing, makes a backup and downloads it.
func TestSystem(t *testing.T) {
	dir := t.TempDir()
	eachSite(t, func(t *testing.T, s *site) {
		s.say(s.open("v"), "hello")
		a := s.must("GET", "/api/admin/system", secretKey, nil)
		kind := a.get("storage").(map[string]any)["kind"]
		if findings := a.get("findings").([]any); len(findings) < 4 || a.text("version") != "test" {
			t.Errorf("%s", a.body)
		}
		if kind != "sqlite" {
			s.refused(s.call("GET", "/api/admin/system/backup", secretKey, nil), 409, "relay backs up SQLite files only")
			s.refused(s.call("POST", "/api/admin/system/backups", secretKey, nil), 409, "relay backs up SQLite files only")
			return
		}
		name := s.must("POST", "/api/admin/system/backups", secretKey, nil).text("name")
		file := s.must("GET", "/api/admin/system/backups/"+name, secretKey, nil)
		if !strings.HasPrefix(string(file.body), "SQLite format 3\x00") || file.header.Get("Content-Disposition") != `attachment; filename="`+name+`"` {
			t.Errorf("%s: %d bytes, %v", name, len(file.body), file.header)
		}
		if again := s.must("GET", "/api/admin/system", secretKey, nil); !strings.Contains(string(again.body), name) {
			t.Errorf("the backup is not listed: %s", again.body)
		}
		for _, other := range []string{"relay.db", "..%2Frelay.db", "relay-2001-01-01.db", name + ".unproven"} {
			s.refused(s.call("GET", "/api/admin/system/backups/"+other, secretKey, nil), 404, "Backup not found")
		}
		fresh := s.must("GET", "/api/admin/system/backup", secretKey, nil)
		if !strings.HasPrefix(string(fresh.body), "SQLite format 3\x00") || !strings.HasPrefix(fresh.header.Get("Content-Disposition"), `attachment; filename="relay-20`) {
			t.Errorf("%d bytes, %v", len(fresh.body), fresh.header)
		}
		if list := s.must("GET", "/api/admin/audit", secretKey, nil); !strings.Contains(string(list.body), "backup_downloaded") {
			t.Errorf("the audit list misses it: %s", list.body)
		}
	}, func(c *config.Config) { c.BackupDir = dir })
}
