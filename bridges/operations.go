package bridges

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/relay-chat/relay/bridges/ai/act/openapi"
	"github.com/relay-chat/relay/bridges/apart"
	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// Operations reads an OpenAPI document: one that is given, or that of an address.
func (a *Actions) Operations(ctx context.Context, address, document string) (found chat.Operations, err error) {
	field, data := "document", []byte(document)
	if address != "" {
		field = "url"
		if data, address, err = a.fetch(ctx, address); err != nil {
			return found, err
		}
	}
	found, err = openapi.Read(ctx, a.reader, data, address)
	switch {
	case err == nil || ctx.Err() != nil:
		return found, err
	case errors.Is(err, apart.ErrNotStarted):
		return found, fmt.Errorf("read an OpenAPI document: %w", err)
	}
	return found, chat.ErrorAt(chat.Invalid, field, field+" cannot be read: "+chat.Clip(chat.OneLine(err.Error()), 300))
}

// Tools lists the tools of a server of the Model Context Protocol.
func (a *Actions) Tools(ctx context.Context, endpoint, header, secret string) (found chat.Operations, err error) {
	if err := a.refuse(endpoint); err != nil {
		return found, err
	}
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return found, chat.ErrorAt(chat.Invalid, "mcp", "mcp must be an address like https://shop.example/mcp")
	}
	tools, err := a.client.Tools(ctx, endpoint, cmp.Or(header, "Authorization"), secret)
	if err != nil && ctx.Err() == nil {
		err = chat.ErrorAt(chat.Invalid, "mcp", "mcp cannot be read: "+err.Error())
	}
	if err != nil {
		return found, err
	}
	return openapi.Tools(endpoint, cmp.Or(header, "Authorization"), tools), nil
}

// Limits of a document's request.
const (
	documentTime      = 20 * time.Second
	documentRedirects = 3
)

// fetch reads what is at an address, and returns where that was.
func (a *Actions) fetch(ctx context.Context, address string) (body []byte, at string, err error) {
	if err := a.refuse(address); err != nil {
		return nil, "", err
	}
	bad := func(why string) error { return chat.ErrorAt(chat.Invalid, "url", "url cannot be read: "+why) }
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Host == "" || r.URL.User != nil {
		return nil, "", chat.ErrorAt(chat.Invalid, "url", "url must be an address like https://shop.example/openapi.json")
	}
	r.Header.Set("Accept", "application/json, application/yaml, */*")
	r.Header.Set("User-Agent", "relay")
	transport := guard.NewTransport(a.allowed)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > documentRedirects {
			return errors.New("too many redirects")
		}
		return nil
	}}
	answer, err := client.Do(r)
	if err != nil {
		return nil, "", bad("there is no answer from there")
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(io.LimitReader(answer.Body, openapi.MaxDocument+1))
	switch {
	case answer.StatusCode != http.StatusOK:
		return nil, "", bad(fmt.Sprintf("the server answers %d", answer.StatusCode))
	case err != nil:
		return nil, "", bad("the answer breaks off")
	}
	return body, answer.Request.URL.String(), nil
}
