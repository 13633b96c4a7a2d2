package chat

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Price is what a million tokens cost.
type Price struct {
	Amount   float64
	Currency string // a sign or a code
	before   bool   // the currency stands before the amount
}

var (
	priceForm = regexp.MustCompile(`^(\d{1,6}(?:[.,]\d{1,4})?) ?(\p{Sc}|[A-Z]{3})$|^(\p{Sc}|[A-Z]{3}) ?(\d{1,6}(?:[.,]\d{1,4})?)$`)
	errPrice  = checkError("must be an amount with its currency, for example 0.60 €")
)

// ParsePrice reads a price like "0.60 €", "$0.6" or "0,60 EUR".
func ParsePrice(text string) (Price, error) {
	found := priceForm.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return Price{}, errPrice
	}
	p := Price{Currency: found[2] + found[3], before: found[3] != ""}
	var err error
	p.Amount, err = strconv.ParseFloat(strings.Replace(found[1]+found[4], ",", ".", 1), 64)
	return p, err
}

// Of is what so many tokens cost, rounded up to hundredths, "" without a price.
func (p *Price) Of(tokens int64) string {
	if p.Currency == "" {
		return ""
	}
	amount := strconv.FormatFloat(math.Ceil(max(p.Amount*float64(tokens)/1e4-1e-9, 0))/100, 'f', 2, 64)
	if p.before {
		return p.Currency + amount
	}
	return amount + " " + p.Currency
}
