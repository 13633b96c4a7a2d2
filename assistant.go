package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/mcp"
)

// keyVariable brings a program's key along; with _FILE behind it, it names a file that has it.
const keyVariable = "RELAY_API_KEY"

// toolPatience is how long a tool may take; statistics of a long time do.
const toolPatience = 3 * time.Minute

// assistant serves a relay's tools on standard input and output, to an assistant on this computer.
func assistant(ctx context.Context, a *app, arg string) error {
	base := strings.TrimRight(arg, "/")
	if !chat.IsBaseURL(base) {
		return fmt.Errorf("%q is not the address of a relay, like https://chat.example.com", arg)
	}
	key, err := a.key()
	if err != nil {
		return err
	}
	api := &mcp.API{Base: base, Client: mcp.WithKey(key, toolPatience)}
	log := slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return mcp.RunStdio(ctx, mcp.New(mcp.Options{API: api, Version: version, Log: log}))
}

// key returns the key with which a command uses a relay elsewhere.
func (a *app) key() (string, error) {
	for _, line := range a.line.environ {
		name, value, _ := strings.Cut(line, "=")
		switch name {
		case keyVariable:
			return strings.TrimSpace(value), nil
		case keyVariable + "_FILE":
			data, err := os.ReadFile(value)
			return strings.TrimSpace(string(data)), err
		}
	}
	return "", errors.New(keyVariable + " is missing: make a key in the console, under Team → Programs and keys, or with relay keys add")
}
