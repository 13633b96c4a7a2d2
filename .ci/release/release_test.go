package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// output runs a program that must succeed.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// read reads a file that must be there.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// here is the target that this machine can run.
func here(t *testing.T) target {
	t.Helper()
	i := slices.IndexFunc(targets, func(t target) bool { return t.system == "linux" && t.processor == runtime.GOARCH })
	if i < 0 {
		t.Fatalf("no release is made for linux on %s", runtime.GOARCH)
	}
	return targets[i]
}

// TestRelease makes the release for this machine and looks at every part of it. The
// same sources in another folder make the same bytes.
func TestRelease(t *testing.T) {
	machine, date := here(t), time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	first := release{"../..", t.TempDir(), "9.8.7", date}
	if err := first.make([]target{machine}); err != nil {
		t.Fatal(err)
	}
	t.Run("archive", func(t *testing.T) {
		dir := t.TempDir()
		output(t, "tar", "-xzf", first.file(first.base(machine)+".tar.gz"), "-C", dir)
		if got := output(t, filepath.Join(dir, "relay"), "version"); !strings.HasPrefix(got, "relay v9.8.7 (") {
			t.Error(got)
		}
		for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md", "relay.example.env"} {
			read(t, filepath.Join(dir, name))
		}
	})
	t.Run("deb", func(t *testing.T) { checkDeb(t, first.file(first.base(machine)+".deb")) })
	t.Run("bill", func(t *testing.T) { checkBill(t, first, machine) })
	t.Run("formula", func(t *testing.T) {
		sum, err := checksum(first.file(first.base(machine) + ".tar.gz"))
		if formula := read(t, first.file("relay.rb")); err != nil || !strings.Contains(formula, sum) || !strings.Contains(formula, "/v9.8.7/"+first.base(machine)+".tar.gz") {
			t.Error(formula)
		}
	})
	t.Run("checksums", func(t *testing.T) {
		entries, err := os.ReadDir(first.out)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if sum, err := checksum(first.file(e.Name())); e.Name() != "SHA256SUMS" && (err != nil || !strings.Contains(read(t, first.file("SHA256SUMS")), sum+"  "+e.Name()+"\n")) {
				t.Errorf("SHA256SUMS lacks %s (%v)", e.Name(), err)
			}
		}
	})
	t.Run("again", func(t *testing.T) {
		copied := t.TempDir()
		copySources(t, "../..", copied)
		second := release{copied, t.TempDir(), "9.8.7", date}
		if err := second.make([]target{machine}); err != nil {
			t.Fatal(err)
		}
		if a, b := read(t, first.file("SHA256SUMS")), read(t, second.file("SHA256SUMS")); a != b {
			t.Errorf("the same sources make\n%sand\n%s", a, b)
		}
	})
}

// copySources copies what a release is built of, without the repository.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	tracked := output(t, "git", "-C", from, "ls-files")
	for name := range strings.Lines(tracked) {
		name = strings.TrimSpace(name)
		info, err := os.Stat(filepath.Join(from, name))
		if err != nil || info.IsDir() {
			continue // removed, but not yet in a commit
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), []byte(read(t, filepath.Join(from, name))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkDeb unpacks the package for Debian and looks at what is where.
func checkDeb(t *testing.T, path string) {
	t.Helper()
	root := t.TempDir()
	output(t, "dpkg-deb", "-x", path, root)
	output(t, "dpkg-deb", "-e", path, filepath.Join(root, "DEBIAN"))
	for name, mode := range map[string]fs.FileMode{"usr/bin/relay": 0o755, "usr/share/relay/relay.example.env": 0o644,
		"usr/lib/systemd/system/relay.service": 0o644, "usr/lib/systemd/system/relay.socket": 0o644,
		"DEBIAN/preinst": 0o755, "DEBIAN/postinst": 0o755, "DEBIAN/prerm": 0o755, "DEBIAN/postrm": 0o755} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "DEBIAN", "conffiles")); err == nil {
		t.Error("a changed file of settings would stop an upgrade with a question")
	}
	if control := read(t, filepath.Join(root, "DEBIAN", "control")); !strings.Contains(control, "Package: relay\nVersion: 9.8.7\n") {
		t.Error(control)
	}
	unit := read(t, filepath.Join(root, "usr/lib/systemd/system/relay.service"))
	if !strings.Contains(unit, "\nExecStart=/usr/bin/relay serve\n") || !strings.Contains(unit, "\nEnvironmentFile=-/etc/relay/relay.env\n") {
		t.Error(unit)
	}
}

// checkBill compares the bill of materials with the program.
func checkBill(t *testing.T, r release, m target) {
	t.Helper()
	var bill struct {
		BomFormat string
		Metadata  struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal([]byte(read(t, r.file(r.base(m)+".cdx.json"))), &bill); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	output(t, "tar", "-xzf", r.file(r.base(m)+".tar.gz"), "-C", dir)
	info, err := buildinfo.ReadFile(filepath.Join(dir, "relay"))
	if err != nil {
		t.Fatal(err)
	}
	if bill.BomFormat != "CycloneDX" || bill.Metadata.Component.Name != "relay" || bill.Metadata.Component.Version != "9.8.7" || len(bill.Components) != len(info.Deps)+1 {
		t.Errorf("%+v", bill)
	}
}

// TestInstall: the installer puts there what the checksums name, and nothing else.
func TestInstall(t *testing.T) {
	m := here(t)
	for name, tt := range map[string]struct {
		spoil func(dir, archive string)
		fails string
	}{
		"as it is":         {func(string, string) {}, ""},
		"another archive":  {func(dir, archive string) { pack(t, filepath.Join(dir, archive), "echo evil") }, "another checksum"},
		"not in the sums":  {func(dir, _ string) { os.WriteFile(filepath.Join(dir, "SHA256SUMS"), nil, 0o600) }, "does not name"},
		"no sums":          {func(dir, _ string) { os.Remove(filepath.Join(dir, "SHA256SUMS")) }, "cannot download"},
		"an empty archive": {func(dir, archive string) { os.WriteFile(filepath.Join(dir, archive), nil, 0o600) }, "another checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			r := release{out: t.TempDir(), version: "9.8.7"}
			archive := r.base(m) + ".tar.gz"
			pack(t, r.file(archive), "echo relay v9.8.7")
			if _, err := r.checksums(); err != nil {
				t.Fatal(err)
			}
			if err := r.installer(); err != nil {
				t.Fatal(err)
			}
			tt.spoil(r.out, archive)
			server := httptest.NewServer(http.FileServer(http.Dir(r.out)))
			defer server.Close()
			bin := filepath.Join(t.TempDir(), "bin")
			cmd := exec.Command("sh", r.file("install.sh"))
			cmd.Env = append(os.Environ(), "RELAY_DOWNLOADS="+server.URL, "RELAY_BIN="+bin)
			out, err := cmd.CombinedOutput()
			if tt.fails != "" {
				if _, there := os.Stat(filepath.Join(bin, "relay")); err == nil || there == nil || !strings.Contains(string(out), tt.fails) {
					t.Errorf("installed all the same: %v\n%s", err, out)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got := output(t, filepath.Join(bin, "relay")); got != "relay v9.8.7\n" {
				t.Error(got)
			}
		})
	}
}

// pack makes an archive whose program is a script.
func pack(t *testing.T, path, script string) {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	list := tar.NewWriter(compressed)
	script = "#!/bin/sh\n" + script + "\n"
	if err := list.WriteHeader(&tar.Header{Name: "relay", Mode: 0o755, Size: int64(len(script))}); err != nil {
		t.Fatal(err)
	}
	list.Write([]byte(script))
	list.Close()
	compressed.Close()
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPackageScripts: a new relay starts, an upgrade leaves the service as it is, and a
// removal stops it, as dpkg and rpm call the scripts. Settings that are there stay.
func TestPackageScripts(t *testing.T) {
	for name, tt := range map[string]struct{ calls, want string }{
		"a new .deb":            {"installing install; installed configure", "daemon-reload|--quiet enable relay.service|start relay.service|"},
		"a .deb that goes":      {"installing install; installed configure; removing remove; removed remove; removed purge", "daemon-reload|--quiet enable relay.service|start relay.service|disable --now relay.service relay.socket|daemon-reload|daemon-reload|"},
		"a .deb over another":   {"removing upgrade 1.0.1; installing upgrade 1.0.0; removed upgrade 1.0.1; installed configure 1.0.0", "daemon-reload|daemon-reload|try-restart relay.service|"},
		"a .deb after removing": {"removing remove; removed remove; installing install 1.0.0; installed configure 1.0.0", "disable --now relay.service relay.socket|daemon-reload|daemon-reload|--quiet enable relay.service|start relay.service|"},
		"a new .rpm":            {"installing 1; installed 1", "daemon-reload|--quiet enable relay.service|start relay.service|"},
		"an .rpm over another":  {"installing 2; installed 2; removing 1; removed 1", "daemon-reload|try-restart relay.service|daemon-reload|"},
		"no .rpm any more":      {"removing 0; removed 0", "disable --now relay.service relay.socket|daemon-reload|"},
	} {
		dir := t.TempDir()
		log, settings := filepath.Join(dir, "log"), filepath.Join(dir, "etc/relay/relay.env")
		for _, folder := range []string{"etc/relay", "usr/share/relay"} {
			if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "usr/share/relay/relay.example.env"), []byte("#PORT=3000\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "run/systemd/system"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "systemctl"), []byte("#!/bin/sh\nprintf '%s|' \"$*\" >>"+log+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		isNew := strings.HasPrefix(name, "a new")
		if !isNew {
			if err := os.WriteFile(settings, []byte("PORT=4000\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for call := range strings.SplitSeq(tt.calls, "; ") {
			script, args, _ := strings.Cut(call, " ")
			text := regexp.MustCompile("/(run|etc|usr)/").ReplaceAllString(read(t, "package/"+script+".sh"), dir+"$0")
			cmd := exec.Command("sh", append([]string{"-c", text, script}, strings.Fields(args)...)...)
			cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", name, call, err, out)
			}
		}
		switch got, err := os.ReadFile(settings); {
		case strings.Contains(tt.calls, "purge"):
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the settings are still there: %q, %v", name, got, err)
			}
		case string(got) != map[bool]string{true: "#PORT=3000\n", false: "PORT=4000\n"}[isNew]:
			t.Errorf("%s: the settings are %q, %v", name, got, err)
		}
		if got := read(t, log); got != tt.want {
			t.Errorf("%s: systemctl is called with %s, want %s", name, got, tt.want)
		}
	}
}

// TestPackageOfRelayThatCannotStart: the package is installed whole, says in one sentence
// what to do, and a new relay is stopped until then.
func TestPackageOfRelayThatCannotStart(t *testing.T) {
	const reason = "port 3000 is taken by another program. Put PORT=3010 into /etc/relay/relay.env"
	for name, tt := range map[string]struct {
		isNew         bool
		journal       string
		called, tells string
	}{
		"a new one":     {true, "relay: an older one\nsystemd: noise\nrelay: " + reason, "stop relay.service|", "relay is installed, but stopped: " + reason + "\n"},
		"no journal":    {true, "", "stop relay.service|", "relay is installed, but stopped: the reason is in: journalctl -u relay\n"},
		"a new version": {false, "relay: " + reason, "try-restart relay.service|", "relay is installed, but the new version does not start: " + reason + "\n"},
	} {
		dir := t.TempDir()
		for path, text := range map[string]string{"usr/share/relay/relay.example.env": "", "etc/relay/relay.env": "", "run/systemd/system/x": "", "journal": tt.journal + "\n",
			"systemctl":  "#!/bin/sh\nprintf '%s|' \"$*\" >>" + dir + "/log\ncase $1 in start | try-restart) exit 1 ;; esac\n",
			"journalctl": "#!/bin/sh\n[ \"$1\" = --sync ] || cat " + dir + "/journal\n"} {
			path = filepath.Join(dir, path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		if tt.isNew {
			if err := os.WriteFile(filepath.Join(dir, "run/relay-is-new"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// Sentences keep their paths.
		text := regexp.MustCompile("([ (])/(run|etc|usr)/").ReplaceAllString(read(t, "package/installed.sh"), "${1}"+dir+"/$2/")
		cmd := exec.Command("sh", "-c", text, "postinst", "configure")
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != tt.tells || !strings.HasSuffix(read(t, filepath.Join(dir, "log")), tt.called) {
			t.Errorf("%s: %v, it tells %q, want %q; systemctl is called with %s", name, err, out, tt.tells, read(t, filepath.Join(dir, "log")))
		}
	}
}

// TestTargets: a release has a program for every machine that the installer and the
// formula name.
func TestTargets(t *testing.T) {
	for _, name := range []string{"linux_amd64", "linux_arm64", "linux_armv7", "darwin_arm64", "darwin_amd64", "windows_amd64"} {
		if !slices.ContainsFunc(targets, func(t target) bool { return t.name == name }) {
			t.Errorf("none for %s", name)
		}
	}
}

// TestImage: the container image builds for the processor that it is for, with a
// program that depends on nothing.
func TestImage(t *testing.T) {
	file := read(t, "../../Dockerfile")
	for _, part := range []string{"FROM --platform=$BUILDPLATFORM ", "ARG TARGETOS\n", "ARG TARGETARCH\n", "CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH",
		"-trimpath", "FROM scratch\n", "USER 65532:65532\n", "ENV HOST=0.0.0.0\n", "HEALTHCHECK "} {
		if !strings.Contains(file, part) {
			t.Errorf("the Dockerfile lacks %q", part)
		}
	}
	if workflow := read(t, "../../.github/workflows/release.yml"); !strings.Contains(workflow, "linux/amd64,linux/arm64") {
		t.Error("the workflow builds the image for other machines")
	}
}
