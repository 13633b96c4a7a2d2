package chat

import "time"

// WebhookSink is the destination of events that the webhook posts.
const WebhookSink = "webhook"

// BridgeState is the state of a bridge in the admin API.
type BridgeState struct {
	Name      string   `json:"name"`
	State     string   `json:"state"`   // off, starting, running, failing or misconfigured
	Receive   string   `json:"receive"` // how operators' answers come in: polling, webhook, gateway, socket or none
	Missing   []string `json:"missing"` // settings
	LastError string   `json:"lastError,omitempty"`
	Fix       string   `json:"fix,omitempty"`
	Details   string   `json:"details,omitempty"` // the platform's or the network's own error
	Queue     int      `json:"queue"`             // pending deliveries
	// DeliveredAt is when the newest delivered event happened, of the last 7 days.
	DeliveredAt Time `json:"deliveredAt,omitzero"`
	// Failed are the deliveries that were given up, Retrying those that failed
	// often and are retried; nil for none.
	Failed   *BridgeTrouble `json:"failed,omitempty"`
	Retrying *BridgeTrouble `json:"retrying,omitempty"`
	// Sites are those whose conversations begin in a channel of their own.
	Sites []SiteChannel `json:"sites,omitempty"`
}

// SiteChannel is how the channel is doing that a site has of its own.
type SiteChannel struct {
	Site      string `json:"site"`
	Channel   string `json:"channel"` // the platform's id
	State     string `json:"state"`   // running, failing or misconfigured
	LastError string `json:"lastError,omitempty"`
	Fix       string `json:"fix,omitempty"`
	Details   string `json:"details,omitempty"`
}

// BridgeTrouble describes undelivered events by the newest of them.
type BridgeTrouble struct {
	Count     int    `json:"count"`
	Reason    string `json:"reason"`
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
	At        Time   `json:"at"`
}

// WebhookTest is how the webhook's receiver answered a test event.
type WebhookTest struct {
	Status   int
	Body     string
	Duration time.Duration
}
