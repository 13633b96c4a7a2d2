package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// member is a file in an archive.
type member struct {
	name, path string
	mode       int64
}

// members are what everybody gets together with the program.
func (r release) members(t target, program string) []member {
	list := []member{{t.program(), program, 0o755}}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md", "relay.example.env"} {
		list = append(list, member{name, filepath.Join(r.source, name), 0o644})
	}
	return list
}

// archive packs the program as its system's people expect.
func (r release) archive(t target, program string) error {
	if t.system == "windows" {
		return r.zip(r.file(r.base(t)+".zip"), r.members(t, program))
	}
	return r.tarball(r.file(r.base(t)+".tar.gz"), r.members(t, program))
}

func (r release) tarball(path string, members []member) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(out)
	list := tar.NewWriter(packed)
	for _, m := range members {
		if err = r.addTar(list, m); err != nil {
			break
		}
	}
	return errors.Join(err, list.Close(), packed.Close(), out.Close())
}

func (r release) addTar(list *tar.Writer, m member) error {
	info, err := os.Stat(m.path)
	if err != nil {
		return err
	}
	header := &tar.Header{Name: m.name, Mode: m.mode, Size: info.Size(), ModTime: r.date, Format: tar.FormatUSTAR}
	if err := list.WriteHeader(header); err != nil {
		return err
	}
	return copyFile(list, m.path)
}

func (r release) zip(path string, members []member) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	list := zip.NewWriter(out)
	for _, m := range members {
		var w io.Writer
		if w, err = list.CreateHeader(&zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: r.date}); err == nil {
			err = copyFile(w, m.path)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, list.Close(), out.Close())
}

func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
