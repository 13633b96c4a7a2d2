package chat

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/jpeg" // what is uploaded is one of these
	_ "image/png"
	"slices"
	"strings"
)

// Limits of a picture that a setting holds. The console scales pictures down before it sends them.
const (
	maxPictureBytes  = 128 << 10
	maxPicturePixels = 1024 // of each side
)

// PicturesPath is where visitors get a site's picture, with the site's public id behind it.
const PicturesPath = "/pictures/"

// Picture is an uploaded picture. Version changes with it.
type Picture struct {
	MimeType string
	Data     []byte
	Version  string
}

// picturePrefixes begin a setting that holds a picture and not the address of one.
var picturePrefixes = []string{"data:image/png;base64,", "data:image/jpeg;base64,"}

// picture checks the address of a picture, or an uploaded one.
func picture(value json.RawMessage) error {
	var v string
	if json.Unmarshal(value, &v) != nil || !strings.HasPrefix(v, "data:") {
		return address("https")(value)
	}
	p, err := readPicture(v)
	if err != nil {
		return err
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(p.Data))
	switch {
	case err != nil || "image/"+format != p.MimeType || config.Width < 1 || config.Height < 1:
		return checkError("must be a PNG or JPEG picture: this one is damaged")
	case config.Width > maxPicturePixels || config.Height > maxPicturePixels:
		return checkError("must be a picture of at most 1024 by 1024 pixels")
	}
	return nil
}

func readPicture(v string) (p Picture, err error) {
	i := slices.IndexFunc(picturePrefixes, func(prefix string) bool { return strings.HasPrefix(v, prefix) })
	if i < 0 {
		return p, checkError("must be a PNG or JPEG picture in base64")
	}
	prefix := picturePrefixes[i]
	if base64.StdEncoding.DecodedLen(len(v)-len(prefix)) > maxPictureBytes {
		return p, checkError("must be a picture of at most 128 KB")
	}
	if p.Data, err = base64.StdEncoding.Strict().DecodeString(v[len(prefix):]); err != nil {
		return p, checkError("must be a PNG or JPEG picture in base64")
	}
	p.MimeType, _, _ = strings.Cut(strings.TrimPrefix(prefix, "data:"), ";")
	return p, nil
}

// holdsPicture reports whether a setting's value is an uploaded picture.
func holdsPicture(value Raw) bool { return bytes.HasPrefix(value, []byte(`"data:`)) }

// The settings that hold a picture.
const (
	operatorPicture = "operatorAvatar"
	launcherPicture = "launcherPicture"
)

// LauncherOf asks PicturesPath for the picture of the launcher.
const LauncherOf = "launcher"

// Picture returns the uploaded picture of a site's operators, or of its launcher; ok is false
// when there is none, or only the address of one.
func (s *Settings) Picture(of string) (p Picture, ok bool) {
	name := operatorPicture
	if of == LauncherOf {
		name = launcherPicture
	}
	value := s.values[name]
	if !holdsPicture(value) {
		return p, false
	}
	p, err := readPicture(s.Text(name))
	p.Version = pictureVersion(value)
	return p, err == nil
}

func pictureVersion(value Raw) string { return Hash(string(value))[:16] }

// pictureAddress is the value of a picture's setting for visitors: where it is, instead of the picture.
func (s *Settings) pictureAddress(site string) Raw {
	value := s.values[operatorPicture]
	if holdsPicture(value) {
		return Raw(MustJSON(PicturesPath + SiteName(site) + "?v=" + pictureVersion(value)))
	}
	return value
}
