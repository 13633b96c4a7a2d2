// Package schema holds the database schema as numbered steps, one folder per
// dialect, embedded in the binary. It imports the standard library only.
//
// A step that was released is never changed: what comes later is another step
// with the next number, in both folders.
package schema

import "embed"

// SQLite and Postgres are the steps of the two dialects, to be applied in the
// order of their numbers. Steps only lead up; the way back is a backup.
var (
	//go:embed sqlite/*.up.sql
	SQLite embed.FS
	//go:embed postgres/*.up.sql
	Postgres embed.FS
)

// Bounded is what the SQLite database of bridge mode, in memory, has beyond the
// steps.
//
//go:embed bounded.sql
var Bounded string

// OpenAPI is the description of relay's HTTP API: the contract with everybody
// who writes a client. The tests hold every request and answer to it.
//
//go:embed openapi.yaml
var OpenAPI []byte
