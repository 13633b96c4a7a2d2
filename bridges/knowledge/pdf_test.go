package knowledge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// titledPDF is a PDF of one page with a large line, a smaller one below it, and the title that a program gave it.
func titledPDF(title string) []byte {
	content := "BT /F1 24 Tf 50 700 Td (Guide to zebras) Tj ET BT /F1 14 Tf 50 650 Td (Feeding) Tj ET " +
		"BT /F1 10 Tf 50 630 Td (Zebras eat grass twice a day and drink a lot of water.) Tj ET"
	pdf := pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", "<</Title("+title+")>>")
	return []byte(strings.Replace(pdf, "/Root 1 0 R", "/Root 1 0 R/Info 6 0 R", 1))
}

// TestPDFTitles: a PDF has the title that somebody gave it, else its largest line; large lines are headings.
func TestPDFTitles(t *testing.T) {
	for title, want := range map[string]string{"All about zebras": "All about zebras", "Microsoft Word - zebra_final2.docx": "Guide to zebras", "zebras.indd": "Guide to zebras", "": "Guide to zebras", "Untitled 1": "Guide to zebras"} {
		b := newBase(t, dbtest.Memory(t))
		if _, err := b.AddFile(t.Context(), "all", "z.pdf", titledPDF(title)); err != nil {
			t.Fatal(err)
		}
		b.work()
		got := b.ask("what do zebras eat")
		if len(got) == 0 || !strings.HasPrefix(got[0].Title, want+" › ") {
			t.Errorf("%q: found %+v", title, got)
		}
	}
}
