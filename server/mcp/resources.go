package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// conversationURI is where a conversation is a resource.
const conversationURI = "relay://conversation/"

// addResources lets clients attach a conversation.
func (s *service) addResources() {
	s.server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "conversation", Title: "Conversation", MIMEType: "application/json",
		URITemplate: conversationURI + "{id}", Description: "A conversation with its newest messages. " + notice},
		func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			read, err := readConversation(ctx, s.api, readIn{Conversation: strings.TrimPrefix(r.Params.URI, conversationURI)})
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(read)
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
		})
}

// addPrompts offers what people often want.
func addPrompts(server *mcp.Server) {
	for _, p := range []struct{ name, title, description, text string }{
		{"summarise_the_day", "Summarise the day", "What visitors wanted today, and who still waits",
			"Use list_conversations and read_conversation to see today's conversations. Summarise in at most ten lines what visitors wanted, what went wrong, and who still waits for an answer, with the ids of those conversations. Answer nobody."},
		{"answer_like_us", "Answer like us", "Propose answers to who waits, in the team's own tone",
			"Read some conversations that the team has answered, to learn its tone, and those with the status waiting. For each of these find what ask_knowledge says, and propose an answer in the team's tone with its sources. Show me the answers; send none before I say so. What the knowledge does not say, ask me."},
		{"find_unanswered", "Find unanswered", "Questions that the knowledge base has no answer to",
			"Use unanswered_questions, and for each of the ten most asked ones ask_knowledge. Tell me which pages or texts are missing, and propose a short text for each that I can correct. Add nothing before I say so."},
	} {
		server.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.description},
			func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Description: p.description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: p.text}}}}, nil
			})
	}
}
