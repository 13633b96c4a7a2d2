package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxEvent bounds an event of a stream.
const maxEvent = 1 << 20

// Stream reads a route's server-sent events until the stream or ctx ends, and passes on what each
// carries.
func (c *API) Stream(ctx context.Context, path string, receive func(data []byte)) error {
	r, err := c.request(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	lasting := *c.Client
	lasting.Timeout = 0 // heartbeats keep it alive
	resp, err := lasting.Do(r)
	if err != nil {
		return fmt.Errorf("relay cannot be reached at %s: %w", c.Base, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		data, err := io.ReadAll(io.LimitReader(resp.Body, maxEvent))
		return errors.Join(err, refusal(resp, data))
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		if data, found := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); found {
			receive(data)
		}
	}
	return lines.Err()
}
