// Package oauth gets the tokens with which relay signs in at mail servers without a password
// (RFC 6749), and the consent that they need (RFC 7636). It imports package chat.
package oauth

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/endpoints"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// Limits of what a provider answers. The library reads a megabyte of it at most.
const timeout = 20 * time.Second

// A provider gets the client's secret in the body, as Google and Microsoft ask for it. Another one
// may want it in the header, which is tried first.
func styleOf(p chat.MailProvider, o chat.MailOAuth) oauth2.AuthStyle {
	if p.Name == "" && o.Secret != "" {
		return oauth2.AuthStyleAutoDetect
	}
	return oauth2.AuthStyleInParams
}

// EndpointOf returns where a provider is asked.
func EndpointOf(p chat.MailProvider) oauth2.Endpoint {
	switch p.Name {
	case chat.MailGoogle:
		return endpoints.Google
	case chat.MailMicrosoft:
		return endpoints.AzureAD(p.Tenant)
	}
	return oauth2.Endpoint{TokenURL: p.Endpoint}
}

// scopesOf are what relay asks a provider for: reading and sending e-mails, while nobody is there.
func scopesOf(p chat.MailProvider) []string {
	if p.Name == chat.MailGoogle {
		return []string{"https://mail.google.com/"}
	}
	return []string{"https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send", "offline_access"}
}

// configOf is what the library needs of the settings.
func (t *Tokens) configOf(o chat.MailOAuth) (*oauth2.Config, chat.MailProvider, error) {
	p, err := chat.ParseMailProvider(o.Provider)
	if err != nil { // which was checked when it was set
		return nil, p, &Failure{Problem: "MAIL_OAUTH " + err.Error(), Fix: "correct MAIL_OAUTH"}
	}
	endpoint := t.opts.Endpoint(p)
	endpoint.AuthStyle = styleOf(p, o)
	return &oauth2.Config{ClientID: o.Client, ClientSecret: o.Secret, Endpoint: endpoint}, p, nil
}

// newClient makes a client for token endpoints. They are where an administrator of all sites says,
// like the mail servers: in a private network, too, but not where a cloud serves its metadata. What
// they answer is not shown, but for the error's name and words.
func newClient() *http.Client {
	transport := guard.NewTransport(guard.Private)
	transport.Proxy = http.ProxyFromEnvironment
	return &http.Client{Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// with lets the library use the client.
func (t *Tokens) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, t.opts.Client)
}
