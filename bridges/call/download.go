package call

import (
	"fmt"
	"io"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
)

// Download opens a file of a platform.
func Download(client *http.Client, req *http.Request, platform string, secrets ...string) (io.ReadCloser, error) {
	resp, err := client.Do(req)
	if err != nil {
		return nil, &Error{Name: "fetch", Err: Redact(err, secrets...)}
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	resp.Body.Close()
	return nil, Refused(resp, platform)
}

// Refused returns the error of a download that was answered without the file.
func Refused(resp *http.Response, platform string) error {
	err := fmt.Errorf("fetch the file: %s answered HTTP %d", platform, resp.StatusCode)
	if resp.StatusCode >= 400 && resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	return err
}
