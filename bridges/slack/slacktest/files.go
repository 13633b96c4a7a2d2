package slacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// keep stores a file.
func (f *Platform) keep(file *file) *file {
	f.lastFile++
	file.id = fmt.Sprintf("F%08d", f.lastFile)
	f.files[file.id] = file
	return file
}

func (f *Platform) uploadURL(form url.Values) (map[string]any, *apiError) {
	length, _ := strconv.Atoi(form.Get("length"))
	file := f.keep(&file{name: form.Get("filename"), data: make([]byte, length)})
	return map[string]any{"upload_url": strings.TrimSuffix(f.URL, "/api") + "/upload/" + file.id, "file_id": file.id}, nil
}

// takeUpload receives a file's bytes, exactly as many as were announced.
func (f *Platform) takeUpload(w http.ResponseWriter, r *http.Request, id string) {
	data, err := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.files[id]
	if err != nil || file == nil || len(file.data) != len(data) {
		f.Violate(fmt.Sprintf("upload of %s: %d bytes, %v", id, len(data), err))
		http.Error(w, "bad upload", http.StatusBadRequest)
		return
	}
	if r.Header.Get("Authorization") != "" {
		f.Violate("upload: the token is shown to an address that needs none")
	}
	file.data, file.uploaded = data, true
	_, _ = fmt.Fprintf(w, "OK - %d", len(data))
}

func (f *Platform) completeUpload(form url.Values) (map[string]any, *apiError) {
	var list []struct{ ID, Title string }
	_ = json.Unmarshal([]byte(form.Get("files")), &list) // the schema looked at it
	m := &message{text: form.Get("initial_comment"), user: botUser, bot: botID, app: appID, subtype: "file_share"}
	for _, one := range list {
		file := f.files[one.ID]
		if file == nil || !file.uploaded || file.shared {
			return nil, refuse("file_not_found")
		}
		m.files = append(m.files, file)
	}
	if refusal := f.spend(); refusal != nil {
		return nil, refusal
	}
	m.channel = form.Get("channel_id")
	if thread := form.Get("thread_ts"); f.liveIn(m.channel, thread) != nil {
		m.thread = thread
	}
	for _, file := range m.files {
		file.shared = true
	}
	f.emit(f.add(m).render())
	return map[string]any{"files": []any{map[string]any{"id": m.files[0].id, "title": m.files[0].name}}}, nil
}

func (f *Platform) filesInfo(form url.Values) (map[string]any, *apiError) {
	file := f.files[form.Get("file")]
	if file == nil {
		return nil, refuse("file_not_found")
	}
	info := file.render()
	if file.external == "" {
		info["url_private_download"] = strings.TrimSuffix(f.URL, "/api") + "/files/" + file.id
	}
	return map[string]any{"file": info, "comments": []any{}}, nil
}

func (f *Platform) filesDelete(form url.Values) (map[string]any, *apiError) {
	id := form.Get("file")
	if f.files[id] == nil {
		return nil, refuse("file_not_found")
	}
	delete(f.files, id)
	for _, m := range f.messages {
		if !m.gone && len(m.files) == 1 && m.files[0].id == id {
			f.remove(m)
		}
	}
	return nil, nil
}

// serveFile serves a file. Clients that may not read it are redirected to the sign-in
// page.
func (f *Platform) serveFile(w http.ResponseWriter, r *http.Request, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.files[id]
	switch {
	case file == nil:
		http.NotFound(w, r)
	case r.Header.Get("Authorization") != "Bearer "+f.BotToken || file.hidden:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>Sign in to Slack</html>")
	default:
		w.Header().Set("Content-Type", file.mimeType)
		_, _ = w.Write(file.data)
	}
}

// HideFiles makes downloads end at the sign-in page.
func (f *Platform) HideFiles() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, file := range f.files {
		file.hidden = true
	}
}
