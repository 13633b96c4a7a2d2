package knowledge

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestSeen: what people see after a click is read, what nobody can see is not.
func TestSeen(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       bool
	}{
		{"a button with aria-controls", `<button aria-controls=a>How long?</button><div id=a hidden>zebra</div>`, true},
		{"a button within a heading", `<h3><button aria-expanded=false>How long?</button></h3><div style="display: none">zebra</div>`, true},
		{"a button in front", `<div class=item><button>How long?</button><div style="max-height:0;overflow:hidden">zebra</div></div>`, true},
		{"a question in a box", `<div class=q><span role=button>How long?</span></div><div aria-hidden=true>zebra</div>`, true},
		{"hidden until found", `<div hidden=until-found>zebra</div>`, true},
		{"details", `<details><summary>How long?</summary>zebra</details>`, true},
		{"a panel of tabs", `<ul role=tablist><li role=tab aria-controls=t>Sizes</ul><section id=t role=tabpanel hidden>zebra</section>`, true},
		{"tabs by links", `<a data-bs-toggle=tab href=#t>Sizes</a><div id=t class=tab-pane style=display:none>zebra</div>`, true},
		{"a class of accordions", `<div class="accordion-body" hidden>zebra</div>`, true},
		{"a form around the page", `<form><h1>Prices</h1><p>zebra costs 4, and this form has most of what the page says.</p></form>`, true},
		{"without scripts", `<noscript><p>zebra</p></noscript>`, true},
		{"fading in", `<div style="opacity:0;transform:translateY(20px)">zebra</div>`, true},
		{"white on a dark part", `<div style="background:#222"><p style="color:#fff">zebra</p></div>`, true},
		{"for paper", `<style>@media print { .p { display: none } }</style><p class=p>zebra</p>`, true},

		{"hidden", `<div hidden>zebra</div>`, false},
		{"a menu", `<button aria-controls=m aria-expanded=false>Menu</button><ul id=m role=menu hidden><li>zebra</ul>`, false},
		{"a dialog", `<button aria-controls=m>Show</button><div id=m role=dialog aria-modal=true hidden>zebra</div>`, false},
		{"cookies", `<button aria-controls=c>Cookies</button><div id=c class=cookie-banner hidden>zebra</div>`, false},
		{"outside", `<p style="position: absolute; left: -9999px">zebra</p>`, false},
		{"outside by a class", `<style>/* { */ .x, .seo { position:absolute; top:-10000em }</style><p class=seo>zebra</p>`, false},
		{"without size", `<p style="font-size:0">zebra</p>`, false},
		{"one point", `<p style="width:1px;height:1px;overflow:hidden">zebra</p>`, false},
		{"transparent", `<p style="color:transparent">zebra</p>`, false},
		{"see-through", `<p style="opacity: 0.0">zebra</p>`, false},
		{"white on white", `<div style="background:#FFF"><p><span style="color: rgb(255, 255, 255)">zebra</span></p></div>`, false},
		{"clipped", `<p style="clip:rect(0,0,0,0)">zebra</p>`, false},
		{"scripts wanted", `<noscript>Enable JavaScript, zebra</noscript>`, false},
		{"outside although opened", `<button aria-controls=a>How?</button><div id=a style="text-indent:-999em" hidden>zebra</div>`, false},
		{"a form beside", `<form><label>zebra<input></label></form><p>This is a page about a thing that is longer than the form.</p>`, false},
	} {
		d, err := extractHTML(`<body><p>Here is a text of the page, so that it has one.</p>`+tt.page, nil)
		if err != nil || strings.Contains(d.Markdown, "zebra") != tt.want {
			t.Errorf("%s: %v, %q", tt.name, err, d.Markdown)
		}
	}
}

// TestQuestionsAreHeadings: what opens a part is its heading, until the part ends.
func TestQuestionsAreHeadings(t *testing.T) {
	d, err := extractHTML(`<h1>Help</h1><button aria-controls=a>How long?</button><div id=a hidden><p>Two days.</div>
		<div role=tablist><button role=tab aria-controls=t>Linux</button></div><div id=t role=tabpanel hidden><p>Use apt.</div><p>Behind.</p>
		<div id=m hidden><p>More of it.</p></div><button aria-controls=m>Show more</button><p>Last.`, nil)
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{}
	for _, p := range cutPassages("Help", d.Markdown) {
		titles[p.Text] = p.Title
	}
	for text, title := range map[string]string{"Two days.": "Help › How long?", "Use apt.": "Help › Linux", "Behind.\n\nMore of it.\n\nLast.": "Help"} {
		if titles[text] != title {
			t.Errorf("%q stands below %q, want %q, in %q", text, titles[text], title, d.Markdown)
		}
	}
}

// TestTables: each row carries the heads of its columns.
func TestTables(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"heads of rows", "<table><tr><th>Height<td>42 cm<tr><th>Width<td>3 cm</table>", "Height: 42 cm\nWidth: 3 cm\n\n"},
		{"both", "<table><tr><th><th>Mon<th>Tue<tr><th>Okafor<td>8–12<br>14–18<td>closed</table>", "Mon | Tue\nOkafor | Mon: 8–12, 14–18 | Tue: closed\n\n"},
		{"blocks in cells", "<table><tr><th>Day<th>Hours<tr><td><p>Mon</p><td><ul><li>8–12<li>14–18</ul></table>", "Day | Hours\nDay: Mon | Hours: 8–12, 14–18\n\n"},
		{"over rows", "<table><tr><th>City<th>Day<tr><td rowspan=2>Bonn<td>Mon<tr><td>Tue</table>", "City | Day\nCity: Bonn | Day: Mon\nCity: Bonn | Day: Tue\n\n"},
		{"two rows of heads", "<table><thead><tr><th>Plan<th colspan=2>Price<tr><th><th>month<th>year</thead><tr><td>Plus<td>6<td>60</table>",
			"Plan | Price\nmonth | year\nPlan: Plus | Price month: 6 | Price year: 60\n\n"},
		{"a caption", "<table><caption>Fees</caption><tr><th>A<th>B<tr><td>1<td>2</table><p>end", "###### Fees\n\nA | B\nA: 1 | B: 2\n\n######\n\nend\n\n"},
		{"only arranged", "<table><tr><td>a<td>b</table>", "a | b\n\n"},
		{"arranges a table", "<table><tr><td><table><tr><th>A<th>B<tr><td>1<td>2</table><td>x</table>", "A | B\nA: 1 | B: 2\n\nx\n\n"},
		{"definitions", "<dl><dt>Colour<dd>red<dd>blue<dt>Size?<dd><p>42 cm</p></dl>", "Colour: red\nblue\nSize? 42 cm\n\n"},
	} {
		d, err := extractHTML(tt.page, nil)
		if err != nil || d.Markdown != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, d.Markdown, err, tt.want)
		}
	}
}

// TestPageData: what a page says to machines alone is read, in the words of people.
func TestPageData(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"a question", `{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"How long?","acceptedAnswer":{"@type":"Answer","text":"<p>Two &amp; a half days.</p>"}}]}`, "# How long?\n\nTwo & a half days."},
		{"a product", `[{"@type":["Product"],"name":"Lamp","sku":"L1","offers":{"price":49.9,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}}]`,
			"# Lamp\n\nSKU: L1\nPrice: 49.90 EUR\nAvailability: in stock"},
		{"a business", `{"@graph":[{"@type":"Dentist","name":"Dr. Ito","telephone":"030 1","address":{"streetAddress":"A 1","postalCode":"1","addressLocality":"Bonn"},
			"openingHoursSpecification":[{"dayOfWeek":["http://schema.org/Monday","Tuesday"],"opens":"09:00:00","closes":"18:00"},{"dayOfWeek":"Sunday","opens":"00:00","closes":"00:00"}]}]}`,
			"# Dr. Ito\n\nAddress: A 1, 1 Bonn\nTelephone: 030 1\nOpening hours: Monday, Tuesday 09:00–18:00\nOpening hours: Sunday closed"},
		{"said already", `{"@type":"Question","name":"Q","acceptedAnswer":{"text":"It is seen on the page."}}`, ""},
		{"nonsense", `{"@type":7,"mainEntity":[[[1]]],"offers":null,"name":{}}`, ""},
		{"half", `{"@type":"Question"`, ""},
	} {
		d, err := extractHTML(`<p>It is seen on the page.</p><script type="application/ld+json">`+tt.data+`</script>`, nil)
		got := strings.TrimSpace(strings.TrimPrefix(d.Markdown, "It is seen on the page."))
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// TestHead: a page says what its address is, whether it may be found, how old it is, and whether
// it is a page at all.
func TestHead(t *testing.T) {
	at, _ := url.Parse("https://shop.example/en/a?b=1")
	dated := func(date string) int64 {
		day, _ := time.Parse("2006-01-02", date)
		return day.Unix()
	}
	for _, tt := range []struct {
		page string
		want pageHead
	}{
		{`<link rel=canonical href="/en/a"><meta name=robots content="noindex, nofollow">`, pageHead{Canonical: "https://shop.example/en/a", NoIndex: true, NoFollow: true}},
		{`<meta property="article:published_time" content="2019-01-01"><script type="application/ld+json">{"dateModified":"2024-05-06T10:00:00Z"}</script>`,
			pageHead{Dated: dated("2024-05-06") + 10*3600}},
		{`<title>Prices 2022</title>`, pageHead{Dated: dated("2022-12-31")}},
		{`<title>From 2022 to 2023</title>`, pageHead{}},
		{`<time itemprop=dateModified datetime=2025-02-03>x</time>`, pageHead{Dated: dated("2025-02-03")}},
		{`<title>Page not found – Shop</title><p>Sorry.`, pageHead{Refused: "its server says that there is no such page, with the status of one that is there"}},
		{`<title>404 ways to knit</title><p>` + strings.Repeat("Long text. ", 200), pageHead{}},
		{`<title>Sign in</title><form><input type=password></form>`, pageHead{Refused: "people have to sign in first to see it"}},
	} {
		d, err := extractHTML(tt.page, at)
		if err != nil || d.Head != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.page, d.Head, err, tt.want)
		}
	}
}

// FuzzHTML: whatever a page is, its text is valid and not much longer than the page.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{"", "<table><tr><th>a<th>b<tr><td rowspan=9 colspan=9>c<td>d", "<button aria-controls=x>q</button><div id=x hidden>y", "<dl><dt>a<dd>b</dl><details><summary>s",
		`<script type="application/ld+json">{"@type":"Product","name":"x","offers":[{"price":1}]}</script>`, "<style>.a{left:-1e9px}@media x{.b{display:none}}</style><p class='a b'>z",
		"<noscript><noscript>", "<div role=tab id=a aria-controls=a>x<div role=tabpanel id=b>", "<table><caption>c<th><pre>x</table>", "<h1><button aria-expanded>x</button></h1><header><h1>"} {
		f.Add(seed)
	}
	at, _ := url.Parse("https://a.example/b")
	f.Fuzz(func(t *testing.T, page string) {
		d, err := extractHTML(page, at)
		if err != nil {
			return
		}
		if !utf8.ValidString(d.Markdown) || len(d.Markdown) > 12*len(page)+2*maxRepeated {
			t.Fatalf("%d bytes become %d", len(page), len(d.Markdown))
		}
		cutPassages(d.Title, d.Markdown)
	})
}
