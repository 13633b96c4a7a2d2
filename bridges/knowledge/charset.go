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

// decodeText decodes UTF-8, UTF-16 with a byte order mark, and single-byte character sets.
// The multi-byte sets of East Asia are rejected: their tables would be a fiftieth of the
// binary, and hardly any page still uses them.
func decodeText(data []byte, contentType string) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		return clean(decodeUTF16(data[2:], binary.LittleEndian)), nil
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return clean(decodeUTF16(data[2:], binary.BigEndian)), nil
	}
	if label := charsetLabel(data, contentType); !utf8.Valid(data) && label != "utf8" {
		set, err := charmapFor(label)
		if err != nil {
			return "", err
		}
		if data, err = set.NewDecoder().Bytes(data); err != nil {
			return "", err
		}
	}
	return clean(strings.TrimPrefix(string(data), "\uFEFF")), nil
}

func decodeUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// charsetLabel returns the character set that the server or the page names, normalised,
// "" if neither does.
func charsetLabel(data []byte, contentType string) string {
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
	return normalLabel(clip(label, 40))
}

// normalLabel keeps a label's letters and digits, in lower case.
func normalLabel(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, label)
}

// aliases maps other names of character sets to those of package charmap.
var aliases = map[string]string{"iso88591": "windows1252", "latin1": "windows1252",
	"cp1252": "windows1252", "cp1251": "windows1251", "cp1250": "windows1250", "latin2": "iso88592", "latin9": "iso885915"}

// eastAsian holds the labels of the multi-byte sets, which relay does not read.
var eastAsian = map[string]bool{"shiftjis": true, "sjis": true, "xsjis": true, "windows31j": true, "eucjp": true, "iso2022jp": true, "euckr": true, "ksc56011987": true,
	"windows949": true, "gb2312": true, "gbk": true, "gb18030": true, "xgbk": true, "hzgb2312": true, "big5": true, "big5hkscs": true}

// charmapFor finds a single-byte character set. An unknown label means Windows-1252, as in
// browsers.
func charmapFor(label string) (encoding.Encoding, error) {
	if eastAsian[label] {
		return nil, fmt.Errorf("its character set is %s, which relay does not read: save it as UTF-8", label)
	}
	name := label
	if alias, ok := aliases[label]; ok {
		name = alias
	}
	for _, set := range charmap.All {
		if named, ok := set.(fmt.Stringer); ok && normalLabel(named.String()) == name {
			return set, nil
		}
	}
	return charmap.Windows1252, nil
}
