package remote

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// pauses are those between the attempts to post something.
var pauses = []time.Duration{time.Second, 3 * time.Second}

// Insist posts until there is an answer, a few times. The body has an id of its own, by which relay
// knows it again.
func (c *API) Insist(ctx context.Context, path string, body, into any) error {
	for attempt := 0; ; attempt++ {
		err := c.Call(ctx, "POST", path, nil, body, into)
		if !Unclear(err) || attempt == len(pauses) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pauses[attempt]):
		}
	}
}

// Unclear reports whether an error leaves open if something was done: relay has neither done nor
// refused it for certain.
func Unclear(err error) bool {
	refusal := (*Refusal)(nil)
	return err != nil && (!errors.As(err, &refusal) || refusal.Status >= http.StatusInternalServerError)
}
