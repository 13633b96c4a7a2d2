package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/relay-chat/relay/bridges"
)

// TestRoutesAreDocumented holds the document's list of routes to the router's.
func TestRoutesAreDocumented(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		routes, described := append(s.server.Routes(), newBridgeSite(t).server.Routes()...), operations()
		slices.Sort(routes)
		slices.Sort(described)
		for _, rt := range routes {
			if !slices.Contains(described, rt) {
				t.Errorf("%s is not documented", rt)
			}
		}
		for _, op := range described {
			if !slices.Contains(routes, op) {
				t.Errorf("%s is documented, but there is no such route", op)
			}
		}
	})
}

// TestSettingsAreDocumented holds the settings, their defaults, other names and
// variables, and the keys of the widget's config, to [bridges.Settings].
func TestSettingsAreDocumented(t *testing.T) {
	doc := document().loose
	values := doc.Components.Schemas["SettingValues"].Value
	all, config := []string{}, []string{"attachments", "csat", "mailTranscript"}
	for _, def := range bridges.Settings() {
		if def.Fixed {
			continue
		}
		all = append(all, def.Name)
		if def.Alias != "" {
			all = append(all, def.Alias)
		}
		if def.Widget {
			config = append(config, def.Name)
		}
		described, known := values.Properties[def.Name]
		if !known {
			continue // reported below
		}
		var standard any
		if def.Default != "" {
			if err := json.Unmarshal([]byte(def.Default), &standard); err != nil {
				t.Fatal(err)
			}
		}
		if got := described.Value.Extensions["x-default"]; !reflect.DeepEqual(got, standard) {
			t.Errorf("the default of %s is %v in the document, %v in its declaration", def.Name, got, standard)
		}
		if def.Env != "" && !strings.Contains(described.Value.Description, "(`"+def.Env+"`)") {
			t.Errorf("the description of %s does not name %s", def.Name, def.Env)
		}
		if secret := strings.HasPrefix(described.Value.Description, "A secret"); secret != def.Secret {
			t.Errorf("the description of %s begins with A secret: %v", def.Name, secret)
		}
	}
	same(t, "SettingValues", names(values), all)
	same(t, "what Settings requires", doc.Components.Schemas["Settings"].Value.Required, append(all, "sources", "variables"))
	same(t, "WidgetConfig", names(doc.Components.Schemas["WidgetConfig"].Value), config)
	same(t, "what WidgetConfig requires", doc.Components.Schemas["WidgetConfig"].Value.Required, config)
}

// TestWebhooksAreDocumented holds the document's webhooks to the golden files:
// the same events, and each file as the document says.
func TestWebhooksAreDocumented(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "webhook", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		events = append(events, name)
		webhook := document().strict.Webhooks[name]
		if webhook == nil {
			continue // reported below
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkPosted(name, []byte(filled.Replace(string(text)))); err != nil {
			t.Errorf("%s is not as openapi.yaml says: %s", file, brief(err))
		}
		if id := webhook.Post.OperationID; id == "" || webhook.Post.Summary == "" {
			t.Errorf("%s has the operationId %q and the summary %q", name, id, webhook.Post.Summary)
		}
	}
	same(t, "webhooks", slices.Collect(maps.Keys(document().loose.Webhooks)), events)
}

// checkPosted holds the body of a webhook to the document.
func checkPosted(name string, body []byte) error {
	webhook := document().strict.Webhooks[name]
	if webhook == nil {
		return errors.New("there is no such webhook")
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	schema := webhook.Post.RequestBody.Value.Content.Get("application/json").Schema.Value
	return schema.VisitJSON(v, openapi3.EnableJSONSchema2020())
}

// filled puts into a golden file what differs from run to run.
var filled = strings.NewReplacer(`"ID"`, `"7KQM2HXNW4TCBR5VEYLPD63FGA"`, `"TIME"`, `"2026-01-31T12:00:00.000Z"`)

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: the document has\n%v, the program\n%v", what, got, want)
	}
}

// TestOperationsAreComplete holds every operation to what a reader may expect:
// a name of its own, words, a known tag, and the errors that every route of its
// kind can answer.
func TestOperationsAreComplete(t *testing.T) {
	doc := document().loose
	seen := map[string]string{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			if before, taken := seen[op.OperationID]; taken || op.OperationID == "" || op.Summary == "" {
				t.Errorf("%s has the operationId %q (%s) and the summary %q", name, op.OperationID, before, op.Summary)
			}
			seen[op.OperationID] = name
			if len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil || op.Security == nil {
				t.Errorf("%s has the tags %v and the security %v", name, op.Tags, op.Security)
			}
			var must []int
			callers := strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/api/webhooks/") // platforms have rules of their own
			if callers {
				must = append(must, 400, 401, 403, 429, 500)
			}
			if op.RequestBody != nil && callers {
				must = append(must, 413, 415)
			}
			if strings.Contains(path, "{") && callers {
				must = append(must, 404)
			}
			for _, status := range must {
				if op.Responses.Status(status) == nil {
					t.Errorf("%s does not document %d", name, status)
				}
			}
		}
	}
}

// reference is the text of all pages about operations and types, without their overview.
func reference(s *site) (text string) {
	s.t.Helper()
	pages := map[string]bool{}
	for _, m := range docsLink.FindAllStringSubmatch(string(s.must("GET", "/docs/reference", "", nil).body), -1) {
		page, _, _ := strings.Cut(m[1], "#")
		if strings.HasPrefix(page, "/docs/reference-") && !pages[page] {
			pages[page] = true
			text += string(s.must("GET", page, "", nil).body)
		}
	}
	return text
}

// TestOpenAPIIsServed reads the document and its pages as browsers do.
func TestOpenAPIIsServed(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		a := s.must("GET", "/openapi.yaml", "", nil)
		if a.header.Get("Content-Type") != "application/yaml" || !strings.HasPrefix(string(a.body), "openapi: 3.1.0\n") {
			t.Errorf("%s %.60s", a.header.Get("Content-Type"), a.body)
		}
		if again := s.call("GET", "/openapi.yaml", "", nil, "If-None-Match", a.header.Get("ETag")); again.status != 304 {
			t.Errorf("asked again: %d", again.status)
		}
		page := s.must("GET", "/docs/reference", "", nil)
		text := reference(s)
		for _, op := range operations() {
			method, path, _ := strings.Cut(op, " ")
			if want := fmt.Sprintf(`<span class="path">%s</span>`, path); method != "HEAD" && !strings.Contains(text, want) {
				t.Errorf("no page shows %s", op)
			}
		}
		for name := range document().loose.Webhooks {
			if want := fmt.Sprintf(`<span class="path">%s</span>`, name); !strings.Contains(text, want) {
				t.Errorf("no page shows the webhook %s", name)
			}
		}
		for name := range document().loose.Components.Schemas {
			if !strings.Contains(text, `id="schema-`+name+`"`) {
				t.Errorf("no page shows %s", name)
			}
		}
		policy := page.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(text, "style=") || strings.Contains(text, "<no value>") || strings.Contains(text, "ZgotmplZ") {
			t.Errorf("policy %q; inline styles or holes in the page", policy)
		}
		if again := s.call("GET", "/docs/reference", "", nil, "If-None-Match", page.header.Get("ETag")); again.status != 304 {
			t.Errorf("asked again: %d", again.status)
		}
		if head := s.call("HEAD", "/docs", "", nil); head.status != 200 || len(head.body) > 0 {
			t.Errorf("HEAD answered %d with %d bytes", head.status, len(head.body))
		}
	})
}
