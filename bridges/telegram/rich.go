package telegram

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/relay-chat/relay/bridges/marks"
	"github.com/relay-chat/relay/server/chat"
)

// richMessage is a message of blocks instead of text (Bot API, RichMessage).
type richMessage struct {
	Blocks []richBlock `json:"blocks"`
}

// richBlock is any kind of RichBlock, each with some of these fields.
type richBlock struct {
	Text       richText     `json:"text"`
	Expression string       `json:"expression"`
	Summary    richText     `json:"summary"`
	Blocks     []richBlock  `json:"blocks"`
	Items      []richItem   `json:"items"`
	Cells      [][]richCell `json:"cells"`
	Credit     richText     `json:"credit"`
	Caption    richText     `json:"caption"`

	Photo     []file    `json:"photo"`
	Animation *file     `json:"animation"`
	Audio     *file     `json:"audio"`
	Video     *file     `json:"video"`
	VoiceNote *file     `json:"voice_note"`
	Location  *location `json:"location"`
}

type richItem struct {
	Label  string      `json:"label"`
	Blocks []richBlock `json:"blocks"`
}

type richCell struct {
	Text richText `json:"text"`
}

// richText is the plain form of a RichText: a string, a list, or an object
// with a text inside, which may be a link.
type richText string

// UnmarshalJSON removes the markup.
func (t *richText) UnmarshalJSON(data []byte) error {
	switch data = bytes.TrimSpace(data); {
	case bytes.HasPrefix(data, []byte("[")):
		var list []richText
		err := json.Unmarshal(data, &list)
		for _, part := range list {
			*t += part
		}
		return err
	case bytes.HasPrefix(data, []byte("{")):
		var styled struct {
			Text        richText `json:"text"`
			URL         string   `json:"url"`
			Alternative string   `json:"alternative_text"`
			Expression  string   `json:"expression"`
		}
		err := json.Unmarshal(data, &styled)
		*t = styled.Text + richText(styled.Alternative+styled.Expression)
		if styled.URL != "" {
			*t = richText(marks.Link(string(*t), styled.URL))
		}
		return err
	case bytes.HasPrefix(data, []byte(`"`)):
		return json.Unmarshal(data, (*string)(t))
	}
	return nil // unknown; the rest of the message can be read
}

// plain renders blocks line by line.
func (m *richMessage) plain() string {
	if m == nil {
		return ""
	}
	return strings.Join(linesOf(m.Blocks), "\n")
}

func linesOf(blocks []richBlock) (lines []string) {
	for i := range blocks {
		lines = append(lines, blocks[i].lines()...)
	}
	return lines
}

func (b *richBlock) lines() (lines []string) {
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			lines = append(lines, text)
		}
	}
	add(string(b.Summary))
	add(string(b.Text))
	add(b.Expression)
	lines = append(lines, linesOf(b.Blocks)...)
	for _, item := range b.Items {
		add(strings.TrimSpace(item.Label + " " + strings.Join(linesOf(item.Blocks), "\n")))
	}
	for _, row := range b.Cells {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = string(cell.Text)
		}
		add(strings.Join(cells, " | "))
	}
	if b.Location != nil {
		add("📍 " + b.Location.link())
	}
	add(string(b.Caption))
	add(string(b.Credit))
	return lines
}

// files returns the files in all blocks.
func (m *richMessage) files() (list []chat.InboundFile) {
	if m == nil {
		return nil
	}
	return filesOf(m.Blocks)
}

func filesOf(blocks []richBlock) (list []chat.InboundFile) {
	for i := range blocks {
		b := &blocks[i]
		inside := media{Photo: b.Photo, Animation: b.Animation, Audio: b.Audio, Video: b.Video, Voice: b.VoiceNote}
		list = append(list, inside.files()...)
		list = append(list, filesOf(b.Blocks)...)
		for _, item := range b.Items {
			list = append(list, filesOf(item.Blocks)...)
		}
	}
	return list
}
