package db

import (
	"context"
	"fmt"
	"sort"
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
	err = d.backend.read(ctx, func(t *tx) error {
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

// mostRead is how many passages are read at a time.
const mostRead = 64

var selectPassages = `SELECT g.number, g.page, s.id AS source, g.title, p.url, p.dated, g.text FROM passages g JOIN pages p ON p.number = g.page
	JOIN sources s ON s.number = p.source WHERE g.number IN (?` + strings.Repeat(", ?", mostRead-1) + `)`

// Passages reads passages, those of the first 64 numbers that are still there, in their order.
func (d *DB) Passages(ctx context.Context, numbers []int64) (found []chat.FoundPassage, err error) {
	asked := make([]any, mostRead)
	for i := range asked {
		asked[i] = int64(-1)
		if i < len(numbers) {
			asked[i] = numbers[i]
		}
	}
	err = d.backend.read(ctx, func(t *tx) error {
		found, err = list[chat.FoundPassage](t, selectPassages, asked...)
		return err
	})
	places := map[int64]int{}
	for i, n := range numbers {
		places[n] = i
	}
	sort.Slice(found, func(i, j int) bool { return places[found[i].Number] < places[found[j].Number] })
	return found, err
}

const (
	vocabularyState = `SELECT COUNT(*), COALESCE(MAX(number), 0) FROM passages`
	selectTerms     = `SELECT term, doc FROM passage_vocabulary LIMIT ?`
	// selectLexemes reads the newest passages only: it parts each of them.
	selectLexemes = `SELECT word, ndoc FROM ts_stat('SELECT words FROM passage_words ORDER BY passage DESC LIMIT 20000') LIMIT ?`
	// mostWords bounds a vocabulary.
	mostWords = 200_000
)

// Vocabulary returns the words of all passages, and a state that is another one when they
// have changed; with that state no words.
func (d *DB) Vocabulary(ctx context.Context, known string) (words []chat.WordCount, state string, err error) {
	err = d.backend.look(ctx, func(t *tx) error {
		var count, last int64
		if err := t.row(nil, []any{&count, &last}, vocabularyState); err != nil {
			return err
		}
		if state = fmt.Sprint(count, "/", last); state == known {
			return nil
		}
		words, err = t.q.vocabulary(mostWords)
		return err
	})
	return words, state, err
}

func (c *conn) vocabulary(most int) ([]chat.WordCount, error) {
	return readWords(c.rows, limited(selectTerms, most))
}

func (p *pgTx) vocabulary(most int) ([]chat.WordCount, error) {
	return readWords(p.rows, limited(selectLexemes, most))
}

func readWords(rows func(func() []any, string, ...any) error, query string) (list []chat.WordCount, err error) {
	err = rows(func() []any {
		list = append(list, chat.WordCount{})
		last := &list[len(list)-1]
		return []any{&last.Word, &last.Passages}
	}, query)
	return list, err
}

const selectTitles = `SELECT DISTINCT p.title FROM pages p JOIN sources s ON s.number = p.source WHERE p.title <> ''
	AND EXISTS (SELECT 1 FROM passages g WHERE g.page = p.number)`

// PageTitles lists titles of pages that have passages, so many at most; with a site, only of sources
// for its visitors.
func (d *DB) PageTitles(ctx context.Context, site *string, limit int) (titles []string, err error) {
	query, args := selectTitles, []any{}
	if site != nil {
		query, args = query+` AND s.site IN ('`+chat.AllSites+`', ?)`, append(args, *site)
	}
	err = d.backend.read(ctx, func(t *tx) error {
		titles, err = list[string](t, limited(query+` ORDER BY p.title LIMIT ?`, limit), args...)
		return err
	})
	return titles, err
}
