package account

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/relay-chat/relay/server/chat"
)

// renewEvery is how often relay looks for sign-ins about which a provider is asked again, and
// renewTogether for how many at once, renewAtOnce of them at the same time. Nobody waits for it.
const (
	renewEvery    = 5 * time.Second
	renewTogether = 20
	renewAtOnce   = 5
)

// RenewSignIns asks the provider again about the sign-ins that are due, until ctx ends.
func (a *Accounts) RenewSignIns(ctx context.Context) error {
	for chat.Rest(ctx, renewEvery) == nil {
		if err := a.RenewDue(ctx); err != nil && ctx.Err() == nil {
			a.console.log.Warn("cannot ask about sign-ins again", "err", err)
		}
	}
	return nil
}

// RenewDue asks about the sign-ins that are due, several at a time, so that a slow answer about one
// does not put off all others. What fails does not cut off the others: their refresh tokens may be
// used up already.
func (a *Accounts) RenewDue(ctx context.Context) error {
	due, err := a.signOn.team.SignIns.Grants(ctx, renewTogether)
	if err != nil {
		return err
	}
	var asking errgroup.Group
	asking.SetLimit(renewAtOnce)
	for i := range due {
		asking.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			return a.signOn.renew(ctx, &due[i])
		})
	}
	return asking.Wait()
}

// renew asks about one sign-in. While the provider is away, it is asked again until the time for
// which it vouched is over.
func (s *signOnAPI) renew(ctx context.Context, g *chat.SignOnGrant) error {
	o := s.settings().SignOn()
	if g.Until <= chat.Now() || !o.Ready() || o.Issuer != g.Issuer {
		return s.endGrant(ctx, g, "its time is over")
	}
	if g.Refresh == "" {
		g.RenewAt = g.Until
		return gone(s.team.SignIns.Postpone(ctx, *g))
	}
	asking, cancel := context.WithTimeout(ctx, signOnPatience)
	defer cancel()
	who, next, err := s.provider.Renew(asking, &o, g)
	var failure *chat.SignOnFailure
	if errors.As(err, &failure) && !failure.Ended {
		g.RenewAt = min(chat.Now().Add(max(renewEvery, (g.Until.Sub(chat.Now()))/4)), g.Until)
		return gone(s.team.SignIns.Postpone(ctx, *g))
	}
	if err != nil {
		return s.endGrant(ctx, g, "the provider vouches no longer")
	}
	joining, err := joiningOf(&o, who, s.engine.Sites())
	if err != nil {
		return s.endGrant(ctx, g, err.Error())
	}
	next.SignIn = g.SignIn
	if next.Refresh == "" {
		next.Refresh = g.Refresh
	}
	j, err := s.team.People.Renew(ctx, joining, *next)
	if err == nil {
		s.auditMapped(ctx, personAuthor(j.Person, g.SignIn), &j)
	}
	return gone(err)
}

// endGrant ends a sign-in, with its streams.
func (s *signOnAPI) endGrant(ctx context.Context, g *chat.SignOnGrant, why string) error {
	in, err := s.team.SignIns.Find(ctx, g.SignIn)
	if err != nil {
		return gone(err)
	}
	p, err := s.team.People.Find(ctx, in.Person)
	if err == nil {
		err = s.team.SignIns.End(ctx, g.SignIn)
	}
	if err == nil {
		s.team.Audit.Add(ctx, personAuthor(p, in.ID), chat.AuditEntry{Action: chat.AuditSignInEnded, Target: p.Name, Detail: chat.Clip("single sign-on: "+why, 200)})
	}
	return gone(err)
}

// gone passes over a sign-in that has ended meanwhile.
func gone(err error) error {
	if errors.Is(err, chat.ErrSignInNotFound) || errors.Is(err, chat.ErrPersonNotFound) {
		return nil
	}
	return err
}
