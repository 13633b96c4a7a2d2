// Package e2e tests the whole program from outside: it builds relay, starts it
// as a process, talks HTTP to it and stops it by signals. It holds tests only.
package e2e
