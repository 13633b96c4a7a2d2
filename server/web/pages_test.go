package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestShowErrorWithoutDatabase: a page about relay's own fault asks nobody which language a person
// has chosen, and any other asks once.
func TestShowErrorWithoutDatabase(t *testing.T) {
	asked := 0
	pages := NewPages("1", slog.New(slog.DiscardHandler))
	pages.Language = func(*http.Request) string {
		asked++
		return "fr"
	}
	r := httptest.NewRequest(http.MethodGet, "/console", nil)
	r.Header.Set("Accept-Language", "de")
	for _, tt := range []struct {
		status, asked int
		language      string
	}{{503, 0, "de"}, {404, 1, "fr"}} {
		w := httptest.NewRecorder()
		asked = 0
		pages.ShowError(w, r, tt.status, "Not found")
		if want := `<html lang="` + tt.language + `"`; asked != tt.asked || w.Code != tt.status || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d: asked %d times, %d: %s", tt.status, asked, w.Code, w.Body)
		}
	}
}
