package server_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

func pngOf(width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, width, height))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func dataAddress(mimeType string, data []byte) string {
	return "data:" + mimeType + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// TestUploadedPicture: a picture that a setting holds is handed out by relay, per website, and what
// is none is refused.
func TestUploadedPicture(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		small := pngOf(64, 64)
		s.refused(s.call("GET", "/pictures/main", "", nil), 404, "no picture of its own")
		s.must("PATCH", "/api/admin/settings", secretKey, object{"operatorAvatar": dataAddress("image/png", small)})
		address := s.must("GET", "/api/widget/config", publicKey, nil).text("operatorAvatar")
		if !strings.HasPrefix(address, "/pictures/main?v=") {
			t.Fatalf("visitors get %q", address)
		}
		got := s.call("GET", address, "", nil)
		if got.status != 200 || !bytes.Equal(got.body, small) || got.header.Get("Content-Type") != "image/png" || !strings.Contains(got.header.Get("Cache-Control"), "immutable") ||
			got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("the picture answers %d %v", got.status, got.header)
		}
		if old := s.call("GET", "/pictures/main?v=old", "", nil); !strings.Contains(old.header.Get("Cache-Control"), "max-age=300") {
			t.Errorf("an old address answers %v", old.header)
		}
		if again := s.call("GET", address, "", nil, "If-None-Match", got.header.Get("ETag")); again.status != 304 {
			t.Errorf("the same again answers %d", again.status)
		}
		v := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		if strings.Contains(string(v.body), "data:image") || !strings.Contains(string(v.body), address) {
			t.Errorf("init answers %s", v.body)
		}

		s.must("POST", "/api/admin/sites", secretKey, object{"name": "Shop", "id": "shop"})
		if shared := s.call("GET", "/pictures/shop", "", nil); shared.status != 200 {
			t.Errorf("a website that has what all have answers %d", shared.status)
		}
		var photo bytes.Buffer
		if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
			t.Fatal(err)
		}
		s.must("PATCH", "/api/admin/sites/shop/settings", secretKey, object{"operatorAvatar": dataAddress("image/jpeg", photo.Bytes())})
		if own := s.call("GET", "/pictures/shop", "", nil); own.header.Get("Content-Type") != "image/jpeg" || !bytes.Equal(own.body, photo.Bytes()) {
			t.Errorf("its own answers %d %v", own.status, own.header)
		}
		for what, c := range map[string]struct{ value, want string }{
			"a script":        {dataAddress("image/svg+xml", []byte("<svg/>")), "must be a PNG or JPEG picture in base64"},
			"a page":          {"data:text/html,<script>", "must be a PNG or JPEG picture in base64"},
			"a lie":           {dataAddress("image/jpeg", small), "this one is damaged"},
			"cut off":         {dataAddress("image/png", small[:20]), "this one is damaged"},
			"no base64":       {"data:image/png;base64,%%%", "must be a PNG or JPEG picture in base64"},
			"too many pixels": {dataAddress("image/png", pngOf(1025, 8)), "at most 1024 by 1024 pixels"},
			"too many bytes":  {dataAddress("image/png", append(pngOf(8, 8), make([]byte, 128<<10)...)), "at most 128 KB"},
			"an address":      {"javascript:alert(1)", "must be an address that begins with https://"},
		} {
			if got := s.call("PATCH", "/api/admin/settings", secretKey, object{"operatorAvatar": c.value}); got.status != 400 || !strings.Contains(string(got.body), c.want) {
				t.Errorf("%s answers %d %s", what, got.status, got.body)
			}
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"operatorAvatar": "https://shop.example/logo.png"})
		s.refused(s.call("GET", address, "", nil), 404, "no picture of its own")
	})
}
