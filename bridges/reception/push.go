package reception

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxPush bounds the body of what a platform pushes.
const maxPush = 1 << 20

// ReadPush reads the body of what a platform pushes; what names it in the answer to
// one that is too large or cut off. ok is false when that was answered.
func ReadPush(w http.ResponseWriter, r *http.Request, what string) (raw []byte, ok bool) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPush))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		Refuse(w, http.StatusRequestEntityTooLarge, "The "+what+" is too large")
	case err != nil:
		Refuse(w, http.StatusBadRequest, "The "+what+" was cut off")
	}
	return raw, err == nil
}

// Refuse answers a push with an error.
func Refuse(w http.ResponseWriter, status int, text string) {
	Respond(w, status, map[string]string{"error": text})
}

// Respond answers a push with JSON.
func Respond(w http.ResponseWriter, status int, body any) {
	raw, _ := json.Marshal(body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}
