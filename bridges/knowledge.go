package bridges

import (
	"context"
	"net/netip"
	"sync"

	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/server/chat"
)

// Embedding returns what asks for the embedding model that the settings name, nil
// while they name none.
func Embedding(current func() *chat.Settings, allowed []netip.Prefix) func() (knowledge.Embedder, string) {
	var mu sync.Mutex
	var of chat.AI
	var client *ai.Client
	return func() (knowledge.Embedder, string) {
		settings := current().AI()
		if settings.BaseURL == "" || settings.EmbeddingModel == "" {
			return nil, ""
		}
		mu.Lock()
		defer mu.Unlock()
		if client == nil || of != settings {
			of, client = settings, newAIClient(settings, allowed)
		}
		return client, settings.EmbeddingModel
	}
}

// AskAI answers a question from what the knowledge has for a site, as a visitor would be answered. ok is false while no AI is
// set up.
func AskAI(ctx context.Context, s *chat.Settings, allowed []netip.Prefix, base ai.Knowledge, site *string, question string) (answer chat.AIAsked, ok bool, err error) {
	settings := s.AI()
	if !settings.SetUp() {
		return chat.AIAsked{}, false, nil
	}
	answer, err = ai.Explain(ctx, newAIClient(settings, allowed), &settings, base, site, question)
	return answer, true, err
}
