package server_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

// upload sends a form with the given fields, in order; a field named file is
// the file.
func (s *site) upload(path, key, filename string, content []byte, fields ...string) answer {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "file" {
			part, err := form.CreateFormFile("file", filename)
			if err != nil {
				s.t.Fatal(err)
			}
			_, _ = part.Write(content)
			continue
		}
		_ = form.WriteField(fields[i], fields[i+1])
	}
	_ = form.Close()
	return s.call("POST", path, key, body.String(), "Content-Type", form.FormDataContentType())
}

// pixels makes a PNG of a size.
func pixels(width, height int) []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height)))
	return out.Bytes()
}

const uploads = "/api/widget/attachments"

func TestAttachments(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		picture := pixels(40, 30)
		sent := s.upload(uploads, publicKey, "photo.png", picture, "sessionId", id, "file", "")
		if sent.status != 200 || sent.text("mimeType") != "image/png" || sent.get("size") != float64(len(picture)) || sent.text("filename") != "photo.png" {
			t.Fatalf("upload: %d %s", sent.status, sent.body)
		}
		next := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		operators := s.stream("/api/admin/stream", secretKey)
		next()
		operators()
		m := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "attachmentIds": []string{sent.text("id")}})
		if !strings.Contains(string(m.body), `"filename":"photo.png"`) || m.text("content") != "" {
			t.Errorf("message: %s", m.body)
		}
		operators() // new_session
		for name, f := range map[string]frame{"visitor": next(), "telegram": operators()} {
			list, _ := f.get("attachments").([]any)
			if len(list) != 1 {
				t.Fatalf("the %s's stream has %s", name, f.data)
			}
			url, _ := list[0].(map[string]any)["url"].(string)
			file := s.must("GET", url, "", nil)
			if !bytes.Equal(file.body, picture) || file.header.Get("Content-Type") != "image/png" ||
				!strings.HasPrefix(file.header.Get("Content-Disposition"), "inline") || file.header.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.Contains(file.header.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%s: %d bytes, %v", name, len(file.body), file.header)
			}
			s.refused(s.call("GET", strings.Replace(url, "sig=", "sig=x", 1), "", nil), 404, "Attachment not found")
			s.refused(s.call("GET", strings.Replace(url, "exp=", "exp=1", 1), "", nil), 404, "Attachment not found")
		}
		s.refused(s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "attachmentIds": []string{sent.text("id")}}), 404, "Attachment not found")
		url := m.get("attachments").([]any)[0].(map[string]any)["url"].(string)
		s.must("DELETE", "/api/widget/messages/"+m.text("id")+"?sessionId="+id, publicKey, nil)
		s.refused(s.call("GET", url, "", nil), 404, "Attachment not found")
		if history := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil); !strings.Contains(string(history.body), `"attachments":[]`) {
			t.Errorf("the deleted message still has its file: %s", history.body)
		}
	})
}

func TestOperatorsAttachFiles(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		a := s.upload("/api/admin/sessions/"+id+"/attachments", secretKey, "offer.pdf", []byte("%PDF-1.7 not shown inline"), "file", "")
		if a.status != 200 || a.text("mimeType") != "application/pdf" {
			t.Fatalf("upload: %d %s", a.status, a.body)
		}
		s.refused(s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "attachmentIds": []string{a.text("id")}}), 404, "Attachment not found")
		s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "our offer", "attachmentIds": []string{a.text("id")}})
		file := s.must("GET", a.text("url"), "", nil)
		if !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("a PDF is shown inline: %v", file.header)
		}
		if part := s.call("GET", a.text("url"), "", nil, "Range", "bytes=1-3"); part.status != 206 || string(part.body) != "PDF" {
			t.Errorf("range: %d %q", part.status, part.body)
		}
		if whole := s.call("GET", a.text("url"), "", nil, "Range", "bytes=1-1,3-3,1-1,3-3"); whole.status != 200 || len(whole.body) != 25 {
			t.Errorf("many ranges: %d %q", whole.status, whole.body)
		}
	})
}

// TestHostileAttachments: what is uploaded to hurt somebody.
func TestHostileAttachments(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		gif := []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00<script>alert(1)</script>")
		for _, tt := range []struct {
			name, filename string
			content        []byte
			status         int
			text           string // of the error, or the name and type that are kept
		}{
			{"HTML", "a.html", []byte("<html><script>alert(1)</script>"), 200, "a.html text/html"},
			{"SVG", "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), 200, "a.svg image/svg+xml"},
			{"HTML that says it is a PNG", "a.png", []byte("<html><script>alert(1)</script>"), 200, "a.png application/octet-stream"},
			{"a PNG that says it is HTML", "a.html", pixels(1, 1), 200, "a.html text/html"},
			{"a path", `..\..\../etc/passwd`, []byte("x"), 200, "passwd application/octet-stream"},
			{"a name of dots", "...", []byte("x"), 200, "file application/octet-stream"},
			{"direction characters", "in\u202evoice.txt", []byte("hello"), 200, "invoice.txt text/plain"},
			{"an image of 60000 × 60000", "bomb.png", pixelBomb(60000, 60000), 413, "megapixels"},
			{"an image of 50000 × 50000", "bomb.png", pixelBomb(50000, 50000), 413, "megapixels"},
			{"a page that begins as a GIF", "a.html", append(slices.Clone(gif[:6]), "\x01\x00\x01\x00\x00<svg onload=alert(1)><script>alert(1)</script>"...), 200, "a.html text/html"},
			{"a page that begins as a GIF and is called one", "a.gif", []byte("GIF89a\x01\x00\x01\x00\x00<svg onload=alert(1)>"), 200, "a.gif image/gif"},
			{"an SVG that is called a PDF", "a.pdf", []byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"), 200, "a.pdf application/pdf"},
			{"a zip of a terabyte", "bomb.zip", zipBomb(t), 200, "bomb.zip application/zip"},
			{"a path of the web", "..%2f..%2fetc%2fpasswd", []byte("x"), 200, "%2f..%2fetc%2fpasswd application/octet-stream"},
			{"a path of Windows", `C:\Windows\System32\drivers\etc\hosts`, []byte("x"), 200, "hosts application/octet-stream"},
			{"a whole path", "/etc/passwd", []byte("x"), 200, "passwd application/octet-stream"},
			{"a GIF of 65535 × 65535 with a script in it", "a.gif", gif, 413, "megapixels"},
			{"a JPEG whose size lies behind 320 KB of EXIF", "a.jpg", deepJPEG(5), 200, "a.jpg application/octet-stream"},
			{"a JPEG with much EXIF", "a.jpg", deepJPEG(2), 200, "a.jpg image/jpeg"},
			{"half a JPEG", "a.jpg", deepJPEG(2)[:100<<10], 200, "a.jpg application/octet-stream"},
			{"half a PNG", "a.png", pixels(10, 10)[:20], 200, "a.png application/octet-stream"},
			{"a telephone's photo", "A.HEIC", []byte("\x00\x00\x00\x18ftypheic"), 200, "A.HEIC image/heic"},
			{"a voice message", "voice-message.ogg", []byte("OggS\x00\x02"), 200, "voice-message.ogg audio/ogg"},
			{"a voice message of Safari", "voice-message.m4a", []byte("\x00\x00\x00\x1cftypM4A "), 200, "voice-message.m4a audio/mp4"},
			{"a telephone's film", "a.mov", []byte("\x00\x00\x00\x14ftypqt  "), 200, "a.mov video/quicktime"},
			{"nothing", "a.txt", nil, 400, "empty"},
			{"too much", "a.bin", make([]byte, 3<<20), 413, ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				s.t = t
				a := s.upload(uploads, publicKey, tt.filename, tt.content, "sessionId", id, "file", "")
				if tt.status != 200 {
					s.refused(a, tt.status, tt.text)
					return
				}
				if got := a.text("filename") + " " + a.text("mimeType"); a.status != 200 || got != tt.text {
					t.Fatalf("%d %s, want %s", a.status, a.body, tt.text)
				}
				file := s.must("GET", a.text("url"), "", nil)
				inline := strings.HasPrefix(file.header.Get("Content-Disposition"), "inline")
				if open := file.header.Get("Access-Control-Allow-Origin"); (open == "*") != strings.HasPrefix(a.text("mimeType"), "audio/") {
					t.Errorf("Access-Control-Allow-Origin %q", open)
				}
				if inline != engine.Inline(a.text("mimeType")) || !strings.Contains(file.header.Get("Content-Security-Policy"), "default-src 'none'") {
					t.Errorf("served with %v", file.header)
				}
			})
		}
		s.t = t
		for _, name := range []string{"a.js", "a.mjs", "a.css"} { // relay's own pages load these, from relay
			a := s.upload(uploads, publicKey, name, []byte("alert(1)"), "sessionId", id, "file", "")
			if kind := s.must("GET", a.text("url"), "", nil).header.Get("Content-Type"); kind != "application/octet-stream" {
				t.Errorf("%s is served as %s", name, kind)
			}
		}
		s.refused(s.upload(uploads, publicKey, "a.txt", []byte("x"), "file", ""), 400, "sessionId is required")
		s.refused(s.upload(uploads, publicKey, "a.txt", []byte("x"), "sessionId", id), 400, "file is required")
		s.refused(s.upload(uploads, publicKey, "a.txt", []byte("x"), "sessionId", "nope", "file", ""), 404, "Session not found")
		s.refused(s.call("POST", uploads, publicKey, object{"sessionId": id}), 415, "multipart/form-data")
		s.refused(s.call("POST", uploads, publicKey, "nonsense", "Content-Type", "multipart/form-data; boundary=x"), 400, "")
		if a := s.upload(uploads, publicKey, "late.txt", []byte("the file comes first"), "file", "", "sessionId", id); a.status != 200 {
			t.Errorf("a form with the file first: %d %s", a.status, a.body)
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"attachments": object{"enabled": true, "maxBytes": 100, "types": []string{"image/*"}}})
		s.refused(s.upload(uploads, publicKey, "a.txt", []byte("x"), "sessionId", id, "file", ""), 415, "text/plain")
		s.must("PATCH", "/api/admin/settings", secretKey, object{"attachments": object{"enabled": false}})
		s.refused(s.upload(uploads, publicKey, "a.png", pixels(1, 1), "sessionId", id, "file", ""), 403, "switched off")
	}, func(c *config.Config) { c.Settings = map[string]chat.Raw{"attachmentMaxBytes": chat.Raw("2097152")} })
}

// zipBomb is a small archive that says it unpacks to a terabyte.
func zipBomb(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "../../etc/cron.d/x", Method: zip.Deflate, CompressedSize64: 2, UncompressedSize64: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write([]byte{3, 0})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pixelBomb is a small PNG whose header promises a huge image.
func pixelBomb(width, height uint32) []byte {
	bomb := pixels(1, 1)
	for i := range 4 {
		bomb[16+i] = byte(width >> (24 - 8*i))
		bomb[20+i] = byte(height >> (24 - 8*i))
	}
	// The checksum of the header chunk is made to fit.
	sum := crc(bomb[12:29])
	for i := range 4 {
		bomb[29+i] = byte(sum >> (24 - 8*i))
	}
	return bomb
}

// deepJPEG is a JPEG with n segments of 64 KB in front of its size.
func deepJPEG(n int) []byte {
	var out bytes.Buffer
	_ = jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, 8, 8)), nil)
	segment := append([]byte{0xff, 0xe1, 0xff, 0xff}, make([]byte, 0xffff-2)...)
	return slices.Concat(out.Bytes()[:2], bytes.Repeat(segment, n), out.Bytes()[2:])
}

func crc(data []byte) uint32 {
	sum := ^uint32(0)
	for _, b := range data {
		sum ^= uint32(b)
		for range 8 {
			sum = sum>>1 ^ 0xedb88320&-(sum&1)
		}
	}
	return ^sum
}

// TestCutUpload: a sender that goes away in the middle.
func TestCutUpload(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		head := "--x\r\nContent-Disposition: form-data; name=\"sessionId\"\r\n\r\n" + id +
			"\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n"
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000\r\n\r\n%s%s",
			uploads, publicKey, head, strings.Repeat("z", 600<<10))
		_ = conn.(*net.TCPConn).CloseWrite()
		reply, _ := io.ReadAll(conn)
		_ = conn.Close()
		if !strings.Contains(string(reply), "400 Bad Request") || !strings.Contains(string(reply), "cut off") {
			t.Errorf("answered %q", reply)
		}
	})
}

func TestPublicURLMakesLinksAbsolute(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		a := s.upload(uploads, publicKey, "a.txt", []byte("x"), "sessionId", s.open("v"), "file", "")
		if !strings.HasPrefix(a.text("url"), "https://chat.test/files/") {
			t.Errorf("url is %s", a.text("url"))
		}
	}, func(c *config.Config) { c.PublicURL = "https://chat.test" })
}

// part is a part of a form: what its Content-Disposition adds, and its content.
func part(disposition, content string) string {
	return "--x\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
}

// TestUploadForms sends forms as no form should be. Only a small file may come
// before its session, and none is kept on disk meanwhile.
func TestUploadForms(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		nowhere := t.TempDir() + "/none"
		file, session := part(`name="file"; filename="a.txt"`, "hello"), part(`name="sessionId"`, s.open("v"))
		huge := "X-Long: " + strings.Repeat("z", 100<<10) + "\r\n"
		for _, tt := range []struct {
			name, body string
			status     int
			text       string
		}{
			{"the file first", file + session, 200, ""},
			{"two files after the session", session + file + file, 200, ""},
			{"two files before the session", file + file + session, 400, "one file"},
			{"many files", strings.Repeat(file, 200), 400, "one file"},
			{"a file and no session", file, 400, "sessionId is required"},
			{"a file and a foreign session", file + part(`name="sessionId"`, "nope"), 404, "Session not found"},
			{"a file that is cut", "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n" + strings.Repeat("z", 9000), 400, "cut off"},
			{"too large a file", session + part(`name="file"`, strings.Repeat("z", 3<<20)), 413, "Attachments must be at most "},
			{"a long header", session + strings.Replace(file, "\r\n", "\r\n"+huge, 1), 413, "form around"},
			{"a long header after the file", file + strings.Replace(session, "\r\n", "\r\n"+huge, 1), 413, "form around"},
			{"a long preamble", strings.Repeat("z\r\n", 30<<10) + session + file, 413, "form around"},
			{"a long file", session + part(`name="file"`, strings.Repeat("z", 300<<10)), 200, ""},
			{"a long file first", part(`name="file"`, strings.Repeat("z", 300<<10)) + session, 400, "sessionId must come before file"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				s.t = t
				t.Setenv("TMPDIR", nowhere)
				end := "--x--\r\n"
				if tt.text == "cut off" {
					end = ""
				}
				a := s.call("POST", uploads, publicKey, tt.body+end, "Content-Type", "multipart/form-data; boundary=x")
				if tt.status != 200 {
					s.refused(a, tt.status, tt.text)
				} else if a.status != 200 {
					t.Errorf("answered %d %s", a.status, a.body)
				}
			})
		}
		s.t = t
		t.Setenv("TMPDIR", nowhere) // it is not even tried
		s.must("PATCH", "/api/admin/settings", secretKey, object{"attachments": object{"enabled": false}})
		s.refused(s.call("POST", uploads, publicKey, file+session+"--x--\r\n", "Content-Type", "multipart/form-data; boundary=x"), 403, "switched off")
	}, func(c *config.Config) { c.Settings = map[string]chat.Raw{"attachmentMaxBytes": chat.Raw("2097152")} })
}

// TestFormFilenames: how browsers write names in forms.
func TestFormFilenames(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		session := part(`name="sessionId"`, s.open("v"))
		for sent, want := range map[string]string{
			`a %22b%22.txt`:    `a "b".txt`,
			`a%0D%0Ab.txt`:     `ab.txt`,
			`100%25 %2F %.txt`: `100%25 %2F %.txt`,
			`%2522.txt`:        `%2522.txt`,
		} {
			a := s.call("POST", uploads, publicKey, session+part(`name="file"; filename="`+sent+`"`, "hello")+"--x--\r\n", "Content-Type", "multipart/form-data; boundary=x")
			if a.status != 200 || a.text("filename") != want {
				t.Errorf("%s: %d %s, want %s", sent, a.status, a.body, want)
				continue
			}
			s.must("GET", a.text("url"), "", nil)
		}
	})
}

// webp is a WebP file with one chunk.
func webp(kind string, chunk ...byte) []byte {
	chunk = append(chunk, make([]byte, 20)...)
	size := func(n int) string { return string([]byte{byte(n), byte(n >> 8), 0, 0}) }
	return append([]byte("RIFF"+size(12+len(chunk))+"WEBP"+kind+size(len(chunk))), chunk...)
}

// TestWebPSizes: the size of an image is read in each of the three forms of WebP.
func TestWebPSizes(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	id := s.open("v")
	canvas := func(width, height int) []byte {
		file := webp("VP8X", 0, 0, 0, 0, byte(width-1), byte((width-1)>>8), 0, byte(height-1), byte((height-1)>>8), 0)
		file[16] = 10 // its chunk has exactly this length
		return file
	}
	for name, f := range map[string]struct {
		small, huge []byte
	}{
		"lossy":    {webp("VP8 ", 0x10, 0, 0, 0x9d, 1, 0x2a, 40, 0, 30, 0), webp("VP8 ", 0x10, 0, 0, 0x9d, 1, 0x2a, 0xff, 0x3f, 0xff, 0x3f)},
		"lossless": {webp("VP8L", 0x2f, 39, 0x40, 7, 0), webp("VP8L", 0x2f, 0xff, 0xff, 0xff, 0x0f)},
		"extended": {canvas(40, 30), canvas(20000, 20000)},
	} {
		if a := s.upload(uploads, publicKey, "a.webp", f.small, "sessionId", id, "file", ""); a.status != 200 || a.text("mimeType") != "image/webp" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		s.refused(s.upload(uploads, publicKey, "a.webp", f.huge, "sessionId", id, "file", ""), 413, "megapixels")
		if a := s.upload(uploads, publicKey, "a.webp", f.small[:20], "sessionId", id, "file", ""); a.text("mimeType") != "application/octet-stream" {
			t.Errorf("half of %s: %d %s", name, a.status, a.body)
		}
	}
}
