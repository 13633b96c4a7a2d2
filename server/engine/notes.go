package engine

// The notes about what only one node knows by itself.
const (
	noteSettings = "c" // the settings were changed
	notePresence = "P" // the presence switch was set
	noteActed    = "a" // when an operator acted outside the console
	notePeople   = "p" // the operators at the node's consoles
	noteVisitor  = "v" // open or not, sessions …; or true, a portion of all, sessions …
	noteSignOut  = "x" // operator, sign-in
	noteViewing  = "o" // sign-in, the session that is open there, whose it is
	noteLive     = "n" // who is on a website now; see live
	noteSnoozed  = "z" // until when a session is snoozed
)
