package knowledge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"mime"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// utf8Of decodes a text: UTF-8, UTF-16 with a mark, and what fits one byte a letter.
// The sets of East Asia before Unicode are refused: their tables are a fiftieth of
// the program, and hardly a page still uses them.
func utf8Of(data []byte, contentType string) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		return clean(utf16Of(data[2:], binary.LittleEndian)), nil
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return clean(utf16Of(data[2:], binary.BigEndian)), nil
	}
	if label := labelOf(data, contentType); !utf8.Valid(data) && label != "utf8" {
		set, err := charmapOf(label)
		if err != nil {
			return "", err
		}
		if data, err = set.NewDecoder().Bytes(data); err != nil {
			return "", err
		}
	}
	return clean(strings.TrimPrefix(string(data), "\uFEFF")), nil
}

func utf16Of(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// labelOf returns what a server or the page itself says of its character set, in
// letters and digits, "" if neither does.
func labelOf(data []byte, contentType string) string {
	label := ""
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		label = params["charset"]
	}
	if head := string(bytes.ToLower(data[:min(len(data), 1024)])); label == "" {
		_, after, _ := strings.Cut(head, "charset=")
		label, _, _ = strings.Cut(strings.TrimLeft(after, `"' `), ">")
		if i := strings.IndexAny(label, `"' ;/`); i >= 0 {
			label = label[:i]
		}
	}
	return plainLabel(clip(label, 40))
}

// plainLabel is a label without signs, in small letters.
func plainLabel(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, label)
}

// aliases are other names of character sets.
var aliases = map[string]string{"iso88591": "windows1252", "latin1": "windows1252",
	"cp1252": "windows1252", "cp1251": "windows1251", "cp1250": "windows1250", "latin2": "iso88592", "latin9": "iso885915"}

// eastAsian are the labels of the sets that relay does not read.
var eastAsian = map[string]bool{"shiftjis": true, "sjis": true, "xsjis": true, "windows31j": true, "eucjp": true, "iso2022jp": true, "euckr": true, "ksc56011987": true,
	"windows949": true, "gb2312": true, "gbk": true, "gb18030": true, "xgbk": true, "hzgb2312": true, "big5": true, "big5hkscs": true}

// charmapOf finds a character set of one byte a letter. What nobody knows is the
// usual one, as in browsers.
func charmapOf(label string) (encoding.Encoding, error) {
	if eastAsian[label] {
		return nil, fmt.Errorf("its character set is %s, which relay does not read: save it as UTF-8", label)
	}
	name := label
	if alias, ok := aliases[label]; ok {
		name = alias
	}
	for _, set := range charmap.All {
		if named, ok := set.(fmt.Stringer); ok && plainLabel(named.String()) == name {
			return set, nil
		}
	}
	return charmap.Windows1252, nil
}
