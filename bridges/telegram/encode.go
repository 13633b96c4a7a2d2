package telegram

import (
	"bytes"
	"encoding/json"
	"mime/multipart"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
)

// encode renders the parameters of a call. gotgbot sets optional ones to nil,
// which the Bot API rejects.
func encode(params map[string]any) (call.Body, error) {
	fields := map[string]any{}
	var field string
	var file *gotgbot.FileReader
	for name, value := range params {
		if f, ok := value.(*gotgbot.FileReader); ok && f.Data != nil {
			field, file = name, f
		} else if value != nil {
			fields[name] = value
		}
	}
	if file == nil {
		return call.JSON(fields)
	}
	return encodeForm(fields, field, file)
}

// encodeForm renders a form with a file.
func encodeForm(fields map[string]any, field string, file *gotgbot.FileReader) (call.Body, error) {
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	for name, value := range fields {
		text, err := fieldText(value)
		if err != nil {
			return call.Body{}, err
		}
		if err := form.WriteField(name, text); err != nil {
			return call.Body{}, err
		}
	}
	if _, err := form.CreateFormFile(field, file.Name); err != nil {
		return call.Body{}, err
	}
	return call.Form(form, &buf, file.Data.(*call.File))
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
