package db

import "github.com/relay-chat/relay/server/chat"

// Both read what waits, whatever the total is.
const (
	selectDeliveryQueues = `SELECT dest AS name, COUNT(*) AS waiting, MIN(created_at) AS oldest FROM deliveries WHERE state < 2 GROUP BY dest ORDER BY dest`
	selectUpdateQueues   = `SELECT bridge AS name, COUNT(*) AS waiting, MIN(received_at) AS oldest FROM inbox WHERE state = 0 GROUP BY bridge ORDER BY bridge`
)

// Queues implements [chat.Reader].
func (t *tx) Queues() (deliveries, updates []chat.Queue, err error) {
	if deliveries, err = list[chat.Queue](t, selectDeliveryQueues); err != nil {
		return nil, nil, err
	}
	updates, err = list[chat.Queue](t, selectUpdateQueues)
	return deliveries, updates, err
}
