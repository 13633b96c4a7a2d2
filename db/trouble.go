package db

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/relay-chat/relay/server/chat"
)

// troubles explain the codes of Postgres ("PostgreSQL Error Codes") that an operator
// can do something about. Each is a problem and its fix.
var troubles = map[string][2]string{
	"25006": {"PostgreSQL is read-only here: it is a standby, or default_transaction_read_only is on", "let DATABASE_URL lead to the primary; with several hosts in it, add target_session_attrs=read-write; or turn that setting off"},
	"53300": {"PostgreSQL has no connection left", "raise max_connections: each relay takes up to 19; or put PgBouncer in front of it"},
	"53200": {"PostgreSQL has no memory left", "give its machine more memory, or lower work_mem and max_connections"},
	"57014": {"PostgreSQL cancelled a statement", "raise statement_timeout for relay's user to 30 seconds or more"},
	"55P03": {"PostgreSQL gave up waiting for a lock", "raise lock_timeout for relay's user, and end the program that holds the lock"},
	"25P03": {"PostgreSQL ended a transaction in which relay was silent for too long", "check whether relay's machine or network stalls, or set a longer idle_in_transaction_session_timeout in DATABASE_URL"},
	"25P04": {"PostgreSQL ended a long transaction", "raise transaction_timeout for relay's user to a minute or more"},
	"40001": {"transactions keep getting in each other's way", "set default_transaction_isolation to read committed, and look for other programs that write to relay's tables"},
	"40P01": {"transactions keep getting in each other's way", "look for other programs that lock relay's tables"},
	"57P01": {"PostgreSQL is stopping or ended the connection", "wait a moment; if it stays, start PostgreSQL"},
	"57P02": {"PostgreSQL has crashed", "wait until it has recovered; its log says why it crashed"},
	"57P03": {"PostgreSQL is starting", "wait a moment; if it stays, see its log"},
	"28P01": {"PostgreSQL rejects relay's password", "correct the password in DATABASE_URL and restart relay"},
	"28000": {"PostgreSQL rejects relay's user or network", "allow relay's user and address in pg_hba.conf"},
	"3D000": {"the database does not exist", "create it, or correct its name in DATABASE_URL and restart relay"},
	"42501": {"relay's user has too few rights", "make relay's user the owner of the database"},
	"53100": {"PostgreSQL's disk is full", "make room on its disk"},
}

// unreachable explains any failure without a code.
var unreachable = [2]string{"PostgreSQL cannot be reached or does not answer", "check that it runs, and that this machine reaches its address"}

// explainTrouble adds to an error what to do about it.
func explainTrouble(err error) error {
	text := unreachable
	var e *pgconn.PgError
	if errors.As(err, &e) {
		known := false
		if text, known = troubles[e.Code]; !known {
			return err
		}
	}
	return &chat.StoreTrouble{Problem: text[0], Fix: text[1], Err: err}
}
