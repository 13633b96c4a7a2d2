package discord

// Ways to receive updates.
const (
	wayGateway = "gateway"
	wayWebhook = "webhook" // slash commands only
	wayNone    = "none"
)
