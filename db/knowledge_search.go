package db

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// FindPassages ranks the passages that have any of the words: first those that have
// rare ones, often, or in their titles. It returns their numbers; with a site, only of
// sources for its visitors.
func (d *DB) FindPassages(ctx context.Context, site *string, words []string, limit int) (numbers []int64, err error) {
	if len(words) == 0 {
		return nil, nil
	}
	err = d.backend.look(ctx, func(t *tx) error {
		numbers, err = t.q.findWords(site, words, limit)
		return err
	})
	return numbers, err
}

const (
	insertWords = `INSERT INTO passage_words (rowid, title, text) VALUES (?, ?, ?)`
	findWords   = `SELECT passage_words.rowid FROM passage_words`
	matching    = ` WHERE passage_words MATCH ?`
	bestFirst   = ` ORDER BY bm25(passage_words, 3.0, 1.0), passage_words.rowid LIMIT ?`
	// forSite are the sources that answer a site's visitors, of a passage g.
	forSite = ` JOIN pages p ON p.number = g.page JOIN sources s ON s.number = p.source AND s.site IN ('` + chat.AllSites + `', ?)`
)

// putWords makes a passage one that can be found.
func (c *conn) putWords(number int64, p *chat.IndexedPassage) error {
	_, err := c.exec(insertWords, number, strings.Join(p.TitleWords, " "), strings.Join(p.TextWords, " "))
	return err
}

func (c *conn) findWords(site *string, words []string, limit int) (numbers []int64, err error) {
	query, args := findWords, []any{}
	if site != nil {
		query, args = query+` JOIN passages g ON g.number = passage_words.rowid`+forSite, append(args, *site)
	}
	match := `"` + strings.Join(words, `" OR "`) + `"`
	err = c.rows(func() []any {
		numbers = append(numbers, 0)
		return []any{&numbers[len(numbers)-1]}
	}, limited(query+matching+bestFirst, limit), append(args, match)...)
	return numbers, err
}

const (
	insertVector = `INSERT INTO passage_words (passage, words) VALUES (?, ?::tsvector)`
	// findRanked weighs a word by how few passages have it: ts_rank does not. Words
	// that most passages have would take long and say little: of all, the rarest
	// are ranked.
	findRanked = `WITH asked AS (SELECT word, word::tsquery AS q FROM unnest(?::text[]) AS word),
		counted AS (SELECT word, q, (SELECT COUNT(*) FROM passage_words w WHERE w.words @@ a.q) AS n FROM asked a),
		rare AS (SELECT word, q, n, SUM(n) OVER (ORDER BY n, word) - n AS before FROM counted WHERE n > 0),
		hits AS (SELECT w.passage, ts_rank('{0.33, 0.33, 0.33, 1}', w.words, r.q, 1) * ln(1 + ((SELECT COUNT(*) FROM passage_words) - r.n + 0.5) / (r.n + 0.5)) AS score
			FROM rare r JOIN passage_words w ON w.words @@ r.q`
	mostRanked = ` WHERE r.before < 3000)
		SELECT passage FROM hits GROUP BY passage ORDER BY SUM(score) DESC, passage LIMIT ?`
	// onlyIndex keeps the planner, which knows nothing of the words yet, from
	// reading all passages for each of them.
	onlyIndex = `SET LOCAL enable_seqscan = off`
)

// The bounds of a tsvector: of positions, and of how many a word keeps.
const (
	lastPosition = 16383
	mostOfWord   = 255
)

func (p *pgTx) putWords(number int64, passage *chat.IndexedPassage) error {
	_, err := p.exec(insertVector, number, vectorOf(passage))
	return err
}

// vectorOf renders words as a tsvector, so that no parser of the server's locale
// parts them again. Those of the title have the label A.
func vectorOf(p *chat.IndexedPassage) string {
	places := map[string][]string{}
	at := 0
	for i, words := range [][]string{p.TitleWords, p.TextWords} {
		for _, word := range words {
			if at++; len(places[word]) < mostOfWord {
				places[word] = append(places[word], fmt.Sprint(min(at, lastPosition))+[...]string{"A", ""}[i])
			}
		}
	}
	var out strings.Builder
	for word, list := range places {
		out.WriteString(quoteWord(word) + ":" + strings.Join(list, ",") + " ")
	}
	return out.String()
}

// quoteWord quotes a word for tsvector and tsquery.
func quoteWord(word string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(word) + "'"
}

func (p *pgTx) findWords(site *string, words []string, limit int) (numbers []int64, err error) {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteWord(word)
	}
	if _, err := p.exec(onlyIndex); err != nil {
		return nil, err
	}
	query, args := findRanked, []any{quoted}
	if site != nil {
		query, args = query+` JOIN passages g ON g.number = w.passage`+forSite, append(args, *site)
	}
	err = p.list(&numbers, query+mostRanked, append(args, limit)...)
	return numbers, err
}

const selectPassages = `SELECT g.number, g.page, s.id AS source, g.title, p.url, g.text FROM passages g JOIN pages p ON p.number = g.page
	JOIN sources s ON s.number = p.source WHERE g.number = ?`

// Passage is one that was found, and where.
type passageRow struct {
	Number int64
	Page   int64
	chat.Passage
}

// Passages reads passages in the order of their numbers given, at most so many of
// one page. Those that are gone meanwhile are left out.
func (d *DB) Passages(ctx context.Context, numbers []int64, ofPage, limit int) (found []chat.Passage, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		found = found[:0]
		pages := map[int64]int{}
		for _, n := range numbers {
			rows, err := list[passageRow](t, selectPassages, n)
			if err != nil {
				return err
			}
			if len(rows) == 0 || pages[rows[0].Page] == ofPage {
				continue
			}
			pages[rows[0].Page]++
			if found = append(found, rows[0].Passage); len(found) == limit {
				return nil
			}
		}
		return nil
	})
	return slices.Clip(found), err
}
