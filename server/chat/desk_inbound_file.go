package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// missingFile begins the line that stands for a file that relay could not take.
const missingFile = "[The file "

// take takes over the files that an operator sent, into relay or in bridge mode
// by a sealed reference. It returns a line for each that it could not.
func (h *hearing) take(ctx context.Context, files []InboundFile, p *Post) (missing []string, err error) {
	for _, f := range files {
		why := "is one too many"
		if len(p.AttachmentIDs)+len(p.Files) < maxOperatorFiles {
			if why, err = h.takeOne(ctx, f, p); err != nil {
				return nil, err
			}
		}
		if why != "" {
			missing = append(missing, fmt.Sprintf("%s%s %s, see %s]", missingFile, clip(oneLine(cmp.Or(f.Filename, "file")), 100), why, h.desk.Name()))
		}
	}
	return missing, nil
}

// takeOne takes over one file, or tells why it cannot.
func (h *hearing) takeOne(ctx context.Context, f InboundFile, p *Post) (why string, err error) {
	d := h.desk
	if d.opts.Stateless {
		if d.opts.Seal == nil {
			return "cannot be passed on", nil
		}
		name := cleanFilename(cmp.Or(f.Filename, "file"))
		p.Files = append(p.Files, d.opts.Seal.attachment(FileRef{Bridge: d.Name(), Ref: f.Ref, Filename: name, MimeType: cmp.Or(f.MimeType, "application/octet-stream"), Size: f.Size}))
		return "", nil
	}
	if f.Size > d.relay.Settings().AttachmentRules().MaxBytes {
		return "is too large", nil
	}
	a, err := h.copyFile(ctx, f)
	var refused *Error
	switch {
	case err == nil:
		p.AttachmentIDs = append(p.AttachmentIDs, a.ID)
		return "", nil
	case errors.As(err, &refused) && refused.Kind == TooLarge:
		return "is too large", nil
	case errors.Is(err, ErrNoRoom): // the text is not to wait for it
		d.log.Error("an operator's file is not kept", "err", err)
		return "could not be kept, as the disk is nearly full", nil
	case errors.Is(err, ErrPermanent), errors.As(err, &refused) && refused.Kind != StorageFull && !errors.Is(err, ErrUploadCut):
		d.log.Warn("an operator's file is not passed on", "session", h.thread.SessionID, "err", err)
		return "could not be passed on", nil
	case h.update.Attempts+1 >= inboxAttempts: // the text is not lost with it
		d.log.Error("an operator's file could not be fetched", "session", h.thread.SessionID, "err", err)
		return "could not be fetched", nil
	}
	return "", err
}

// copyFile streams a file from the platform into relay.
func (h *hearing) copyFile(ctx context.Context, f InboundFile) (Attachment, error) {
	body, err := h.desk.bridge.Fetch(ctx, f.Ref)
	if err != nil {
		return Attachment{}, fmt.Errorf("fetch a file: %w", err)
	}
	defer body.Close()
	return h.desk.relay.Upload(ctx, h.by, h.thread.SessionID, cmp.Or(f.Filename, "file"), body)
}
