//go:build !unix

package db

import "io/fs"

// names returns 1: this system does not tell how many hard links lead to a file.
func names(fs.FileInfo) int { return 1 }

// inherit does nothing: files belong to whom their folder's rules say here.
func inherit(file, path string) {}

// syncFolder does nothing: this system makes names durable by itself.
func syncFolder(string) error { return nil }
