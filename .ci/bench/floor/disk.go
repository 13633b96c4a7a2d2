package main

import (
	"os"
	"sync"
	"syscall"
)

// A message is two frames in the log of relay's database, which is begun again when it has so many.
const (
	frameSize = 4096
	frames    = 2
	logFrames = 12_000
)

// disk is a bare log: what is appended is on the disk when append returns. Those who come
// while it flushes share the next flush.
type disk struct {
	file    *os.File
	at      int64
	mu      sync.Mutex
	waiting []chan error
	flushes bool // somebody does
}

func openDisk(path string) (*disk, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	return &disk{file: file}, err
}

// append writes frames that begin with a message.
func (d *disk) append(message []byte) error {
	done := make(chan error, 1)
	d.mu.Lock()
	data := make([]byte, frames*frameSize)
	copy(data, message)
	_, err := d.file.WriteAt(data, d.at*frameSize)
	d.at = (d.at + frames) % logFrames
	d.waiting = append(d.waiting, done)
	first := !d.flushes
	d.flushes = true
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if first {
		go d.flush()
	}
	return <-done
}

// flush flushes until nobody waits.
func (d *disk) flush() {
	for {
		d.mu.Lock()
		batch := d.waiting
		d.waiting = nil
		d.flushes = len(batch) > 0
		d.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		err := syscall.Fdatasync(int(d.file.Fd()))
		for _, done := range batch {
			done <- err
		}
	}
}
