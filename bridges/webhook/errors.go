package webhook

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// final is an error that no retry will change. It reads like the error itself.
type final struct{ error }

func (final) Is(target error) bool { return target == chat.ErrPermanent }

// explain describes why a request got no answer. It leaves the address out: its
// query may hold a secret.
func explain(err error) error {
	var (
		no      guard.Forbidden
		dns     *net.DNSError
		cert    *tls.CertificateVerificationError
		network net.Error
		request *url.Error
	)
	switch {
	case errors.As(err, &no):
		return final{fmt.Errorf("the receiver's address is not allowed: %w", no)}
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("the name %s is unknown", dns.Name)
	case errors.As(err, &network) && network.Timeout():
		return errors.New("the receiver did not answer within 10 seconds")
	case errors.As(err, &cert):
		return fmt.Errorf("the receiver's certificate is not accepted: %w", cert.Err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the receiver refuses connections")
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return errors.New("the receiver closed the connection without an answer")
	case errors.As(err, &request):
		return request.Err
	}
	return err
}
