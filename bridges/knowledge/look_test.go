package knowledge

import (
	"net/url"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

func TestLookOf(t *testing.T) {
	at, _ := url.Parse("https://shop.example.com/de/")
	for _, c := range []struct {
		name, page string
		want       chat.SiteLook
	}{
		{"all", `<html><head><title>Lamps | Halden</title><meta property="og:site_name" content="Halden &amp; Loft">
			<meta name="theme-color" content="#A63"><link rel="shortcut icon" href="/favicon.ico"><link rel="apple-touch-icon" href="../icon.png"></head>`,
			chat.SiteLook{Name: "Halden & Loft", Icon: "https://shop.example.com/icon.png", Color: "#aa6633"}},
		{"title", `<title>Halden – Lamps</title><meta name="theme-color" content="#0b7285">`, chat.SiteLook{Name: "Halden", Color: "#0b7285"}},
		{"hostile", `<title>a` + "\x00\u202e\n" + `b</title><meta name="theme-color" content="#12345g"><link rel=icon href="javascript:alert(1)">`, chat.SiteLook{Name: "a\ufffd b"}},
		{"other schemes", `<link rel=icon href="data:image/svg+xml,x"><meta name=theme-color content="red">`, chat.SiteLook{}},
		{"behind the head", `<body><title>no</title><meta name="theme-color" content="#123456">`, chat.SiteLook{}},
		{"nothing", "", chat.SiteLook{}},
		{"cut off", `<title>`, chat.SiteLook{}},
	} {
		got := lookOf([]byte(c.page), at)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func FuzzLookOf(f *testing.F) {
	at, _ := url.Parse("https://shop.example.com/")
	f.Add([]byte(`<title>x</title><link rel=icon href=//a>`))
	f.Fuzz(func(t *testing.T, page []byte) {
		look := lookOf(page, at)
		if look.Color != "" && len(look.Color) != 7 || len(look.Icon) > maxSiteIcon {
			t.Errorf("%+v", look)
		}
	})
}
