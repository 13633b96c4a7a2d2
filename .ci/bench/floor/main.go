// Command floor is what relay's streams are measured against: a bare net/http
// server. It has streams, something to publish on them, also with a log on the disk, and nothing else: no
// keys, no database, no limits.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"sync"
)

// main listens on the address that is its first argument. The second is the path of its log.
func main() {
	file, err := openDisk(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	f := &floor{streams: map[string]chan []byte{}, disk: file}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
	mux.HandleFunc("GET /stream", f.stream)
	mux.HandleFunc("POST /publish", func(w http.ResponseWriter, r *http.Request) { f.publish(w, r, func([]byte) error { return nil }) })
	mux.HandleFunc("POST /durable", func(w http.ResponseWriter, r *http.Request) { f.publish(w, r, f.disk.append) })
	mux.HandleFunc("POST /webhooks", webhooks)
	log.Fatal(http.ListenAndServe(os.Args[1], mux))
}

type floor struct {
	mu      sync.RWMutex
	streams map[string]chan []byte
	disk    *disk
}

// stream answers its headers at once and writes what is published under its id.
func (f *floor) stream(w http.ResponseWriter, r *http.Request) {
	id, frames := r.URL.Query().Get("id"), make(chan []byte, 16)
	f.mu.Lock()
	f.streams[id] = frames
	f.mu.Unlock()
	defer f.remove(id)
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	if rc.Flush() != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case frame := <-frames:
			if _, err := w.Write(frame); err != nil || rc.Flush() != nil {
				return
			}
		}
	}
}

func (f *floor) remove(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.streams, id)
}

// publish stores the request's body and hands it to one stream.
func (f *floor) publish(w http.ResponseWriter, r *http.Request, store func([]byte) error) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = store(body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	frame := append(append([]byte("data: "), body...), "\n\n"...)
	f.mu.RLock()
	defer f.mu.RUnlock()
	select {
	case f.streams[r.URL.Query().Get("id")] <- frame:
		w.WriteHeader(http.StatusNoContent)
	default:
		http.Error(w, "the stream is full, or there is none", http.StatusServiceUnavailable)
	}
}
