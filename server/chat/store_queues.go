package chat

// DeliveryReader is the part of a [Reader] about deliveries.
type DeliveryReader interface {
	// Lane lists the waiting deliveries of one lane in order, with their events.
	Lane(dest, sessionID string, limit int) ([]Delivery, error)
	// Lanes lists every lane of a sink that has waiting deliveries.
	Lanes(dest string) ([]Lane, error)
	// Deliveries lists deliveries for people, newest first; with
	// q.After, oldest first.
	Deliveries(q DeliveryQuery) ([]Delivery, error)
	// Delivery returns ErrDeliveryNotFound when there is none.
	Delivery(dest, sessionID string, rev int64) (Delivery, error)
	// Undelivered lists a session's deliveries in trouble, oldest
	// first: those given up, and those that have failed often (see
	// [Delivery.Troubled]).
	Undelivered(sessionID string, limit int) ([]Delivery, error)
	// Troubles counts a sink's deliveries in trouble: those given
	// up, and those that have failed often and are retried.
	Troubles(dest string) (failed, retrying Trouble, err error)
	// Waiting counts the deliveries that wait for a sink.
	Waiting(dest string) (int, error)
	// Queues describes the waiting deliveries of each sink, and updates of each bridge.
	Queues() (deliveries, updates []Queue, err error)
}

// DeliveryTx is the part of a [Tx] about deliveries.
type DeliveryTx interface {
	SaveDelivery(d *Delivery) error
	// LockDelivery reads a delivery and locks it against other transactions.
	LockDelivery(dest, sessionID string, rev int64) (Delivery, error)
	// DropDelivery removes a delivery.
	DropDelivery(d *Delivery) error
}

// ThreadReader is the part of a [Reader] about threads and links.
type ThreadReader interface {
	// Thread finds a thread by its place, in any state, or returns
	// ErrThreadNotFound.
	Thread(bridge, channel, ref string) (Thread, error)
	// ThreadOf finds the session's newest thread in a channel that is not gone,
	// or returns ErrThreadNotFound.
	ThreadOf(sessionID, bridge, channel string) (Thread, error)
	// ThreadsOf lists the session's threads that are not gone.
	ThreadsOf(sessionID string) ([]Thread, error)
	// ChannelsInUse lists the channels of a bridge with threads that are not gone of
	// conversations that are open.
	ChannelsInUse(bridge string) ([]string, error)
	// LinksOf lists the copies of a session's messages in a channel.
	LinksOf(sessionID, bridge, channel string) ([]Link, error)
	// LostThreads counts the session's threads in a channel that are gone.
	LostThreads(sessionID, bridge, channel string) (int, error)
	// Links lists a message's copies in a channel, gone ones too, by part.
	Links(sessionID, messageID, bridge, channel string) ([]Link, error)
	// LinksAt lists what a platform message is a copy of.
	LinksAt(bridge, channel, remote string) ([]Link, error)
}

// ThreadTx is the part of a [Tx] about threads and links.
type ThreadTx interface {
	// SaveThread stores a thread, new or known by its place.
	SaveThread(th *Thread) error
	// SaveLink stores a link. Of a known one, revision and state change.
	SaveLink(l *Link) error
	// DropLinks removes all links to a platform message.
	DropLinks(bridge, channel, remote string) error
	// MoveChannel gives the threads and links of a channel to the channel that
	// it became.
	MoveChannel(bridge, from, to string) error
}

// InboxReader is the part of a [Reader] about platforms' updates.
type InboxReader interface {
	// InboxLane lists the waiting updates of one thread in order of arrival.
	InboxLane(bridge, thread string, limit int) ([]Update, error)
	// InboxLanes lists every thread of a bridge that has waiting updates.
	InboxLanes(bridge string) ([]Lane, error)
}

// InboxTx is the part of a [Tx] about platforms' updates.
type InboxTx interface {
	// PutUpdate stores an update and reports whether it is new.
	PutUpdate(u *Update) (bool, error)
	// SaveUpdate stores an update's outcome; the raw text of a finished one
	// is dropped.
	SaveUpdate(u *Update) error
}

// Fencer is the part of a [Tx] about leases.
type Fencer interface {
	// Fence returns ErrLeaseLost unless a lease still has this epoch, and keeps it so
	// until the transaction ends. Only a store with a [Cluster] has leases.
	Fence(name string, epoch int64) error
}
