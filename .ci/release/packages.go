package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the form "deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // the form "rpm"
)

// packages makes the packages for Debian, Fedora and their relatives.
func (r release) packages(t target, program string) error {
	for _, form := range []string{"deb", "rpm"} {
		if err := r.pack(form, t, program); err != nil {
			return err
		}
	}
	return nil
}

func (r release) pack(form string, t target, program string) error {
	info := nfpm.WithDefaults(r.describe(t, program))
	if err := nfpm.PrepareForPackager(info, form); err != nil {
		return err
	}
	packager, err := nfpm.Get(form)
	if err != nil {
		return err
	}
	out, err := os.Create(r.file(r.base(t) + "." + form))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(info, out), out.Close())
}

// describe describes the package. systemd makes the service's user and its folder
// /var/lib/relay.
func (r release) describe(t target, program string) *nfpm.Info {
	return &nfpm.Info{
		Name: "relay", Arch: t.processor + t.arm, Platform: "linux", Version: r.version, Section: "net", Priority: "optional",
		Maintainer: "relay <relay-chat@users.noreply.github.com>", Vendor: "relay", Homepage: "https://github.com/relay-chat/relay", License: "MIT",
		Description: "live chat for websites in one program\n" +
			"A visitor writes in a small widget; the team answers from Telegram, Discord,\nSlack or the console that comes with it.",
		MTime: r.date,
		Overridables: nfpm.Overridables{
			Contents: r.contents(program),
			Scripts:  nfpm.Scripts{PreInstall: "package/installing.sh", PostInstall: "package/installed.sh", PreRemove: "package/removing.sh", PostRemove: "package/removed.sh"},
			RPM:      nfpm.RPM{Group: "Applications/Internet", BuildHost: "relay"},
		},
	}
}

func (r release) contents(program string) files.Contents {
	add := func(source, to string, mode os.FileMode, kind string) *files.Content {
		return &files.Content{Source: source, Destination: to, Type: kind, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.date, Owner: "root", Group: "root"}}
	}
	from := func(parts ...string) string { return filepath.Join(append([]string{r.source}, parts...)...) }
	return files.Contents{
		add(program, "/usr/bin/relay", 0o755, files.TypeFile),
		add(from("server", "systemd", "relay.service"), "/usr/lib/systemd/system/relay.service", 0o644, files.TypeFile),
		add(from("server", "systemd", "relay.socket"), "/usr/lib/systemd/system/relay.socket", 0o644, files.TypeFile),
		add("", "/etc/relay", 0o755, files.TypeDir),
		add(from("relay.example.env"), "/usr/share/relay/relay.example.env", 0o644, files.TypeFile),
		add(from("LICENSE"), "/usr/share/doc/relay/copyright", 0o644, files.TypeFile),
		add(from("README.md"), "/usr/share/doc/relay/README.md", 0o644, files.TypeFile),
		add(from("CHANGELOG.md"), "/usr/share/doc/relay/CHANGELOG.md", 0o644, files.TypeFile),
	}
}
