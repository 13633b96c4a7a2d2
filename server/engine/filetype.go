package engine

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	_ "image/gif"  // for image.DecodeConfig
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

// maxPixels is the largest image that a browser may have to decode.
const maxPixels = 40 << 20

// inlineTypes are the types that browsers may show; all others are downloads.
var inlineTypes = map[string][]string{
	"image/png":  {".png"},
	"image/jpeg": {".jpg", ".jpeg"},
	"image/gif":  {".gif"},
	"image/webp": {".webp"},
	"video/mp4":  {".mp4", ".m4v"},
	"audio/mpeg": {".mp3"},
	"text/plain": {".txt", ".log", ".md", ".csv"},
}

// Inline reports whether browsers may show files of this type.
func Inline(mimeType string) bool {
	_, ok := inlineTypes[mimeType]
	return ok
}

// phoneTypes are types of phones' files and of voice messages, which package mime only
// knows where the machine has tables: the container has none.
var phoneTypes = map[string]string{".heic": "image/heic", ".heif": "image/heif", ".mov": "video/quicktime",
	".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".m4a": "audio/mp4"}

// inspect determines a file's type from its name and its first bytes. A file that
// browsers may show must be of the type its name says, an image of a sane size.
func inspect(filename string, head []byte) (mimeType string, err error) {
	if len(head) == 0 {
		return "", chat.Errorf(chat.Invalid, "The file is empty")
	}
	sniffed, _, _ := strings.Cut(http.DetectContentType(head), ";")
	ext := strings.ToLower(path.Ext(filename))
	if exts, inline := inlineTypes[sniffed]; inline && slices.Contains(exts, ext) {
		if strings.HasPrefix(sniffed, "image/") {
			err = checkPixels(head)
		}
		if errors.Is(err, errNoSize) {
			return "application/octet-stream", nil
		}
		return sniffed, err
	}
	named, _, _ := strings.Cut(cmp.Or(phoneTypes[ext], mime.TypeByExtension(ext)), ";")
	if named == "" || Inline(named) {
		return "application/octet-stream", nil // the content does not match the name
	}
	return named, nil
}

// errNoSize: an image's size cannot be read. It is damaged, or a camera
// put much in front of it. It is kept, but not shown.
var errNoSize = errors.New("the size is not in the head of the file")

// checkPixels rejects images that are small as files and huge when decoded. It
// reads the formats that package image knows; server registers WebP there.
func checkPixels(head []byte) error {
	config, _, err := image.DecodeConfig(bytes.NewReader(head))
	if err != nil || config.Width <= 0 || config.Height <= 0 {
		return errNoSize
	}
	if config.Width > maxPixels/config.Height {
		return chat.Errorf(chat.TooLarge, "Images must be at most %d megapixels", maxPixels>>20)
	}
	return nil
}

// CleanFilename returns a plain file name: no path, no control or
// direction characters, of bounded length.
func CleanFilename(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.Trim(name, " .")
	if name == "" {
		return "file"
	}
	ext := path.Ext(name)
	stem := []rune(strings.TrimSuffix(name, ext))
	if len(ext) > 20 {
		stem, ext = []rune(name), ""
	}
	return string(stem[:min(len(stem), 100)]) + ext
}
