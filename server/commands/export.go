package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/privacy"
)

// export writes conversations to a file, which must be new, or to -.
func export(ctx context.Context, c *Call, _ string) error {
	file, who := c.Words[1], ""
	if len(c.Words) > 2 {
		who = c.Words[2]
	}
	return c.WithEngine(ctx, func(e *engine.Engine) error {
		action, about := chat.AuditExported, "all conversations"
		write := func(out io.Writer) (privacy.Exported, error) { return privacy.ExportAll(ctx, e, out) }
		if who != "" {
			list, err := choose(ctx, e, who)
			if err != nil {
				return err
			}
			write = func(out io.Writer) (privacy.Exported, error) { return privacy.Export(ctx, e, list, out) }
			action, about = chat.AuditVisitorExported, chat.Count(len(list), "conversation")
		}
		if err := c.audit(ctx, e.Store, action, about); err != nil {
			return err
		}
		if file == "-" {
			_, err := write(c.Out)
			return err
		}
		var done privacy.Exported
		err := writeNew(file, func(out io.Writer) (err error) {
			done, err = write(out)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "Wrote %s with %s and %s to %s.\n", chat.Count(done.Sessions, "conversation"), chat.Count(done.Messages, "message"), chat.Count(done.Files, "file"), file)
		return nil
	})
}

// writeNew writes an export to a file, which must be new: half of one must not look whole.
func writeNew(file string, write func(io.Writer) error) error {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// choose returns a visitor's conversations. Those that merely claim to be the visitor's
// are listed for the user, who can name one of them instead.
func choose(ctx context.Context, e *engine.Engine, who string) ([]chat.Session, error) {
	found, err := privacy.Find(ctx, e.Store, who, nil)
	if err != nil {
		return nil, err
	}
	list, err := privacy.Choose(found, nil)
	switch {
	case errors.Is(err, privacy.ErrNobody):
		return nil, fmt.Errorf("no conversation is of %q: give the id or the e-mail address that the console shows", who)
	case errors.Is(err, privacy.ErrClaimed):
		text := fmt.Sprintf("several visitors claim to be %q, and none has proved it. Give the id of a conversation instead, for all of that visitor:", who)
		for i := range found {
			f := &found[i]
			text += fmt.Sprintf("\n  %s  %s, visitor %s %s", f.ID, f.CreatedAt, f.VisitorID, f.Identity)
		}
		return nil, errors.New(text)
	}
	return list, err
}

// erase erases a visitor's conversations, if that is confirmed: by the relay that runs,
// or else in the database alone.
func erase(ctx context.Context, c *Call, who string) error {
	var keys *keyring.Ring
	if c.Config.Mode != chat.ModeBridge {
		if err := c.WithKeys(ctx, func(k *keyring.Ring, _ chat.Store) error { keys = k; return nil }); err != nil {
			return err
		}
	}
	return c.WithEngine(ctx, func(e *engine.Engine) error {
		list, err := choose(ctx, e, who)
		switch {
		case err != nil:
			return err
		case !c.Flags.Yes:
			return fmt.Errorf("%s of %s would be erased for good; nothing was erased yet. Add --yes", chat.Count(len(list), "conversation"), who)
		}
		if keys != nil {
			if out, reached, err := server.EraseVisitor(ctx, c.Config, keys, who); reached {
				return errors.Join(err, c.erased(out, who, err))
			}
		}
		out, err := privacy.Erase(ctx, e, detached{}, list)
		err = errors.Join(err, c.audit(ctx, e.Store, chat.AuditVisitorErased, chat.Count(out.Conversations, "conversation")))
		out.Remains = append(out.Remains, "The threads on the platforms, and open pages and consoles until they are reloaded: relay was not reached at its port.")
		return errors.Join(err, c.erased(out, who, err))
	})
}

// detached are the platforms of a command that runs without them.
type detached struct{}

// EraseThreads implements [privacy.Platforms].
func (detached) EraseThreads(context.Context, string) ([]string, error) { return nil, nil }

// erased prints what was erased and what remains.
func (c *Call) erased(out privacy.Erased, who string, err error) error {
	if err != nil {
		return nil // which is printed
	}
	if c.Flags.JSON {
		return JSON(c.Out, out)
	}
	fmt.Fprintf(c.Out, "Erased %s of %s. This remains:\n", chat.Count(out.Conversations, "conversation"), who)
	for _, text := range out.Remains {
		fmt.Fprintf(c.Out, "- %s\n", text)
	}
	return nil
}
