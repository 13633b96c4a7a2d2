package mail

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Resolver asks the DNS.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// dnsPatience is for all questions together.
const dnsPatience = 5 * time.Second

// selectors are the names under which providers put the key that e-mails are signed with.
// Which one it is stands in e-mails alone.
var selectors = []string{"default", "dkim", "mail", "google", "selector1", "selector2", "s1", "s2", "k1", "k2", "fm1", "pm", "mailo", "brevo1", "zoho", "key1"}

// Records tells what the DNS says about a sender's domain, by which mailbox providers decide
// where an e-mail goes: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489), and whether answers
// arrive (MX).
func Records(ctx context.Context, ask Resolver, address string) []chat.Finding {
	ctx, cancel := context.WithTimeout(ctx, dnsPatience)
	defer cancel()
	_, domain, _ := strings.Cut(address, "@")
	checks := []func(context.Context, Resolver, string) chat.Finding{checkMX, checkSPF, checkDKIM, checkDMARC}
	found := make([]chat.Finding, len(checks))
	var asking sync.WaitGroup
	for i, check := range checks {
		asking.Go(func() { found[i] = check(ctx, ask, domain) })
	}
	asking.Wait()
	return found
}

// missing reports whether the DNS knows that there is no such record; other errors say nothing.
func missing(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

func warn(subject, text, fix string) chat.Finding {
	return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: text, Fix: fix}
}

func notAsked(subject string, err error) chat.Finding {
	f := warn(subject, "the DNS gives no answer", "check this machine's DNS, and try again")
	f.Details = words(err)
	return f
}

func checkMX(ctx context.Context, ask Resolver, domain string) chat.Finding {
	list, err := ask.LookupMX(ctx, domain)
	switch {
	case err != nil && !missing(err):
		return notAsked("MX", err)
	case len(list) == 0 || list[0].Host == ".":
		return warn("MX", domain+" takes no e-mails: answers and bounces reach nobody", "let MAIL_FROM be an address that somebody reads")
	}
	return chat.Fine("MX", domain+" takes e-mails at "+strings.TrimSuffix(list[0].Host, "."))
}

// records returns the texts of a name that begin with a mark.
func records(ctx context.Context, ask Resolver, name, mark string) (found []string, err error) {
	list, err := ask.LookupTXT(ctx, name)
	if err != nil && !missing(err) {
		return nil, err
	}
	for _, text := range list {
		if strings.HasPrefix(strings.ToLower(text), mark) {
			found = append(found, text)
		}
	}
	return found, nil
}

func checkSPF(ctx context.Context, ask Resolver, domain string) chat.Finding {
	const subject = "SPF"
	found, err := records(ctx, ask, domain, "v=spf1")
	switch {
	case err != nil:
		return notAsked(subject, err)
	case len(found) == 0:
		return warn(subject, domain+" does not say which servers send for it", `add a TXT record to `+domain+`, "v=spf1 include:… -all", as your mail provider shows it`)
	case len(found) > 1:
		return warn(subject, domain+" has several SPF records, so none counts", "join them: one “v=spf1”, every include, one “-all”")
	}
	return chat.Fine(subject, chat.Clip(found[0], maxDetails))
}

func checkDKIM(ctx context.Context, ask Resolver, domain string) chat.Finding {
	const subject = "DKIM"
	at := make([]bool, len(selectors))
	var asking sync.WaitGroup
	for i, selector := range selectors {
		asking.Go(func() {
			list, err := ask.LookupTXT(ctx, selector+"._domainkey."+domain)
			at[i] = err == nil && strings.Contains(strings.Join(list, ""), "p=")
		})
	}
	asking.Wait()
	for i, there := range at {
		if there {
			return chat.Fine(subject, "a key is at "+selectors[i]+"._domainkey."+domain)
		}
	}
	return warn(subject, "no key is at the usual names below _domainkey."+domain,
		"your mail provider shows its record; if it is there under another name, send a test to Gmail and see “Show original”")
}

func checkDMARC(ctx context.Context, ask Resolver, domain string) chat.Finding {
	const subject = "DMARC"
	for name := domain; strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") { // a domain's rule is also for those below
		found, err := records(ctx, ask, "_dmarc."+name, "v=dmarc1")
		if err != nil {
			return notAsked(subject, err)
		}
		if len(found) == 1 {
			return chat.Fine(subject, chat.Clip(found[0], maxDetails))
		}
		if len(found) > 1 {
			return warn(subject, "_dmarc."+name+" has several records, so none counts", "leave one of them")
		}
	}
	return warn(subject, domain+" does not say what happens to e-mails that somebody else sends in its name", `add a TXT record to _dmarc.`+domain+`, "v=DMARC1; p=none"`)
}
