package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/mcp"
	"github.com/relay-chat/relay/server/web"
)

// frontDoorPath is where visitors' own agents come in, with a site's public key behind it.
const frontDoorPath = "/agents/"

// longestWait bounds one wait for a person.
const longestWait = 2 * time.Minute

// frontDoor answers POST /agents/{key}: agents of visitors ask, leave messages and wait for
// people, within the limits of the widget.
type frontDoor struct {
	*widgetAPI
	ai       AI
	log      *slog.Logger
	protocol http.Handler
}

func newFrontDoor(widget *widgetAPI, ai AI, version string, log *slog.Logger) *frontDoor {
	d := &frontDoor{widgetAPI: widget, ai: ai, log: log}
	d.protocol = mcp.DoorHandler(d, version, log)
	return d
}

// errNoFrontDoor is for sites that let no agents in.
var errNoFrontDoor = &web.Error{Status: http.StatusNotFound, Text: "This website lets no agents in"}

// agent admits visitors' agents with the public key of a site that lets them in.
func (c *community) agent(w http.ResponseWriter, r *http.Request, _ string) (chat.Author, error) {
	by, err := c.accounts.Admission.Visitor(w, r, web.PathVar(r, "key"))
	if err == nil && !c.engine.SettingsOf(by.Site).Bool("agentsEnabled") {
		err = errNoFrontDoor
	}
	by.Agent, by.Token, by.TokenRequired = true, "", true
	return by, err
}

// atDoor is the context's key of the caller that a tool works for.
type atDoor struct{}

// caller is who asked, and its request.
type caller struct {
	by      chat.Author
	request *http.Request
}

// callerOf returns whom a tool works for, and a context that ends with its request.
func callerOf(ctx context.Context) (context.Context, caller, func()) {
	c, _ := ctx.Value(atDoor{}).(caller)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.request.Context(), cancel)
	return ctx, c, func() {
		stop()
		cancel()
	}
}

func (s *frontDoor) answer(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	inner, err := forProtocol(r)
	if err != nil {
		return nil, err
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // a wait is longer than the server's time-outs
	_ = rc.SetWriteDeadline(time.Now().Add(longestWait + writeTimeout))
	answer := &openAnswer{ResponseWriter: w}
	s.protocol.ServeHTTP(answer, inner.WithContext(context.WithValue(r.Context(), atDoor{}, caller{by, r})))
	return web.Written{}, answer.refusal()
}

// openAnswer passes a stream on as it comes, and keeps a refusal that is not JSON.
type openAnswer struct {
	http.ResponseWriter
	refused int
	text    bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (a *openAnswer) WriteHeader(status int) {
	if isRefusal(status, a.Header()) {
		a.refused = status
		return
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *openAnswer) Write(p []byte) (int, error) {
	if a.refused != 0 {
		return a.text.Write(p)
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap is for [http.ResponseController].
func (a *openAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *openAnswer) refusal() error {
	if a.refused == 0 {
		return nil
	}
	return &web.Error{Status: a.refused, Text: strings.TrimSpace(a.text.String())}
}

// told is an error as an agent may read it: of what fails inside relay, only that it does.
func (s *frontDoor) told(tool string, err error) error {
	var he *web.Error
	var ce *chat.Error
	switch {
	case err == nil, errors.As(err, &he), errors.As(err, &ce):
		return err
	case errors.Is(err, context.Canceled):
		return errors.New("the wait was ended")
	case errors.Is(err, chat.ErrAway):
		return errors.New("the website cannot be reached now; try again in a minute")
	}
	s.log.Error("a tool for visitors' agents failed", "tool", tool, slog.Any("err", err))
	return errors.New("something failed inside relay")
}

// Ask implements [mcp.Door].
func (s *frontDoor) Ask(ctx context.Context, in mcp.Question) (mcp.Answer, error) {
	ctx, c, done := callerOf(ctx)
	defer done()
	out := mcp.Answer{Sources: []mcp.AnswerSource{}}
	if err := checkQuestion(in.Question); err != nil {
		return out, err
	}
	if err := s.Limited(nowhere(), c.request, s.Rates.Messages, s.VisitorKey(c.request, "ask")); err != nil {
		return out, err
	}
	answer := chat.AIAnswer{Ended: chat.AIEndBudget}
	if s.mayAskAI(c.request, c.by) {
		var err error
		if answer, err = s.ai.Ask(ctx, c.by.Site, in.Question); err != nil {
			return out, s.told("ask", err)
		}
	}
	out.Answer = answer.Text
	for _, source := range answer.Sources {
		out.Sources = append(out.Sources, mcp.AnswerSource(source))
	}
	out.Status, out.NextStep = statusOf(&answer)
	return out, nil
}

// statusOf says what an answer is, and what to do where it is none.
func statusOf(a *chat.AIAnswer) (status, next string) {
	switch {
	case a.Ended == "":
		return "answered", ""
	case a.Text != "":
		return "partly", "Only the people of the website know the rest: ask them with leave_message."
	}
	switch a.Ended {
	case chat.AIEndUnsure:
		return "unknown", "The website's pages do not say it. Ask its people with leave_message."
	case chat.AIEndAsked, chat.AIEndTopic, chat.AIEndAction:
		return "unknown", "Only people answer this. Write to them with leave_message."
	}
	return "unavailable", "The website's AI does not answer now. Ask its people with leave_message."
}

// nowhere takes the headers of a refusal: a tool's stands in its text.
func nowhere() http.ResponseWriter { return &keptAnswer{header: http.Header{}} }

// LeaveMessage implements [mcp.Door].
func (s *frontDoor) LeaveMessage(ctx context.Context, in mcp.Letter) (mcp.Left, error) {
	ctx, c, done := callerOf(ctx)
	defer done()
	left, err := s.leave(ctx, c, in)
	return left, s.told("leave_message", err)
}

func (s *frontDoor) leave(ctx context.Context, c caller, in mcp.Letter) (mcp.Left, error) {
	sessionID, by, err := s.conversation(ctx, c, &in)
	if err != nil {
		return mcp.Left{}, err
	}
	if err := s.Limited(nowhere(), c.request, s.Rates.Messages, s.VisitorKey(c.request, sessionID)); err != nil {
		return mcp.Left{}, err
	}
	if err := s.introduce(ctx, c, by, sessionID, &in); err != nil {
		return mcp.Left{}, err
	}
	post := postOf(sessionID, &in)
	post.WithoutAI = !s.mayAskAI(c.request, by)
	m, err := s.engine.Send(ctx, by, post)
	if err != nil {
		return mcp.Left{}, err
	}
	there := s.engine.PresenceAt(by.Site)
	left := mcp.Left{Conversation: sessionID + "." + by.Token, Message: m.ID, Cursor: cursor(m.Seq), PeopleThere: there.Online, ReplySeconds: int64(s.counter.ReplyTime(by.Site).Seconds())}
	if there.BackAt != 0 {
		left.BackAt = there.BackAt.String()
	}
	return left, nil
}

// WaitForHuman implements [mcp.Door].
func (s *frontDoor) WaitForHuman(ctx context.Context, in mcp.Wait) (mcp.Waited, error) {
	ctx, c, done := callerOf(ctx)
	defer done()
	if in.Seconds < 0 {
		return mcp.Waited{}, web.BadRequest("seconds must be a number from 1 to 120")
	}
	patience := min(time.Duration(min(cmp.Or(in.Seconds, 50), 3600))*time.Second, longestWait)
	waited, err := s.wait(ctx, c, in, patience)
	return waited, s.told("wait_for_human", err)
}

// describe answers GET /agents/{key}/llms.txt: what agents find at the front door, for them to
// read and for the website's own llms.txt to point to.
func (s *frontDoor) describe(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	name := chat.OneLine(cmp.Or(s.engine.Sites().ShownName(by.Site), "this website"))
	address := s.BaseURL(r) + frontDoorPath + web.PathVar(r, "key")
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = fmt.Fprintf(w, doorText, name, address) // whoever is gone reads nothing
	return web.Written{}, nil
}

// doorText has a website's name and its front door's address.
const doorText = `# Live chat of %s, for AI agents

> A Model Context Protocol server (streamable HTTP, no key): %s

Tools:

- ask: answers a question from the website's own pages, with sources.
- leave_message: writes to the people of the website, who see that an agent writes.
- wait_for_human: waits up to two minutes for a person's answer.

The limits of a visitor apply. Ask your user before you write in their name, and before you give their name or e-mail address.
`
