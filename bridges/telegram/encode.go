package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// payload is a request's body.
type payload struct {
	body        io.Reader
	size        int64 // -1 when it is not known
	contentType string
}

// sized is a file in a request. A backend may report a wrong size: the request is
// aborted then.
type sized struct {
	content io.Reader
	size    int64 // 0 when unknown
	read    int64
	wrong   bool
}

var errSize = errors.New("the file does not have the reported size")

func (s *sized) Read(p []byte) (int, error) {
	n, err := s.content.Read(p)
	s.read += int64(n)
	if s.size > 0 && (s.read > s.size || err == io.EOF && s.read < s.size) {
		s.wrong = true
		return 0, errSize
	}
	return n, err
}

// encode renders the parameters of a call. gotgbot sets optional ones to nil,
// which the Bot API rejects.
func encode(params map[string]any) (payload, error) {
	fields, files := map[string]any{}, map[string]*gotgbot.FileReader{}
	for name, value := range params {
		if file, ok := value.(*gotgbot.FileReader); ok && file.Data != nil {
			files[name] = file
		} else if value != nil {
			fields[name] = value
		}
	}
	if len(files) > 0 {
		return encodeForm(fields, files)
	}
	body, err := json.Marshal(fields)
	return payload{bytes.NewReader(body), int64(len(body)), "application/json"}, err
}

// encodeForm renders a form with files, which are read only while it is sent.
// The length is sent if it is known: not every server accepts chunks.
func encodeForm(fields map[string]any, files map[string]*gotgbot.FileReader) (payload, error) {
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	for name, value := range fields {
		text, err := fieldText(value)
		if err != nil {
			return payload{}, err
		}
		if err := form.WriteField(name, text); err != nil {
			return payload{}, err
		}
	}
	var parts []io.Reader
	var size int64
	flush := func() {
		size += int64(buf.Len())
		parts = append(parts, bytes.NewReader(bytes.Clone(buf.Bytes())))
		buf.Reset()
	}
	known := true
	for name, file := range files {
		if _, err := form.CreateFormFile(name, file.Name); err != nil {
			return payload{}, err
		}
		flush()
		parts = append(parts, file.Data)
		content, ok := file.Data.(*sized)
		known = known && ok && content.size > 0
		if ok {
			size += content.size
		}
	}
	if err := form.Close(); err != nil {
		return payload{}, err
	}
	flush()
	if !known {
		size = -1
	}
	return payload{io.MultiReader(parts...), size, form.FormDataContentType()}, nil
}

// fieldText renders a form's parameter: text as it is, all else as JSON (Bot API,
// "Making requests").
func fieldText(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}
