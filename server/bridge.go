package server

import (
	"github.com/relay-chat/relay/server/backlog"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// bridge is the server of bridge mode, for a backend that has visitors of its own.
type bridge struct {
	*Server
	backend    *backendAPI
	streams    *backendStreams
	files      *sealedFiles
	statistics *statisticsAPI
}

// NewBridge makes the server of bridge mode. Its streams read the backlog; seal
// makes the addresses of operators' files.
func NewBridge(cfg config.Config, d Deps, backlog *backlog.Backlog, seal *chat.FileSeal) *Server {
	s := newServer(cfg, d, func() {
		d.Engine.Hub.Close()
		backlog.Close()
	})
	s.openStreams = func() map[string]int { return map[string]int{"backend": backlog.Readers()} }
	b := &bridge{s, &backendAPI{s.Limiter, d.Engine}, &backendStreams{s.streams, backlog},
		&sealedFiles{d.Bridges, seal, d.Log}, &statisticsAPI{d.Statistics, d.Engine.Sites}}
	s.assemble(b.audiences())
	return s
}
