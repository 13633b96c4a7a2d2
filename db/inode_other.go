//go:build !unix

package db

import "io/fs"

// names returns 1: hard links are not counted on this system.
func names(fs.FileInfo) int { return 1 }

// inherit does nothing: ownership follows the folder on this system.
func inherit(file, path string) {}

// syncFolder does nothing: this system makes names durable by itself.
func syncFolder(string) error { return nil }
