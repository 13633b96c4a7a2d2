// Package schema holds the database schema as numbered migrations, one folder per
// dialect, embedded in the binary. It imports the standard library only.
//
// A released migration is never changed: a change is a new one with the next
// number, in both folders.
package schema

import "embed"

// SQLite and Postgres are the migrations of the two dialects, in the order of
// their numbers. There are none downwards: restore a backup instead.
var (
	//go:embed sqlite/*.up.sql
	SQLite embed.FS
	//go:embed postgres/*.up.sql
	Postgres embed.FS
)

// Bounded is run after the migrations on bridge mode's SQLite database in memory.
//
//go:embed bounded.sql
var Bounded string

// OpenAPI is the description of relay's HTTP API: the contract with everybody
// who writes a client. The tests hold every request and answer to it.
//
//go:embed openapi.yaml
var OpenAPI []byte
