package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Push notifies operators' browsers.
type Push interface {
	// CheckAddress rejects a push service that relay must not connect to.
	CheckAddress(address string) error
	// Test sends a notification at once.
	Test(ctx context.Context, d *chat.PushDevice) error
}

// ownerOf names whose devices a caller has: programs have their own.
func ownerOf(by chat.Author) string { return cmp.Or(by.Person, by.Name, by.Source) }

// deviceView is a device in the list of all.
type deviceView struct {
	chat.PushDevice
	Owner string `json:"owner,omitempty"`
}

// pushAPI is about the browsers that get push notifications.
type pushAPI struct {
	web.Auditor
	team *team.Team
	push Push
}

// devices answers GET /api/admin/push: the key that browsers need to subscribe, and
// the caller's devices, or all of them for administrators.
func (s *pushAPI) devices(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	_, public, err := s.team.Devices.Keys(r.Context())
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Get("person") != "all" {
		list, err := s.team.Devices.List(r.Context(), ownerOf(by))
		return map[string]any{"publicKey": public, "devices": list}, err
	}
	if !by.OfRelay() {
		return nil, web.ErrAdministrators
	}
	list, err := s.allDevices(r.Context())
	return map[string]any{"publicKey": public, "devices": list}, err
}

// allDevices lists everybody's devices with the names of their owners.
func (s *pushAPI) allDevices(ctx context.Context) ([]deviceView, error) {
	list, err := s.team.Devices.List(ctx, "")
	if err != nil {
		return nil, err
	}
	people, err := s.team.People.List(ctx)
	names := map[string]string{}
	for i := range people {
		names[people[i].ID] = people[i].Name
	}
	views := make([]deviceView, len(list))
	for i := range list {
		views[i] = deviceView{list[i], cmp.Or(names[list[i].Person], list[i].Person+" (secret key)")}
	}
	return views, err
}

type subscriptionRequest struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
	Label string `json:"label"`
}

// add answers POST /api/admin/push/devices, with a browser's subscription.
func (s *pushAPI) add(_ http.ResponseWriter, r *http.Request, by chat.Author, in subscriptionRequest) (any, error) {
	if err := s.push.CheckAddress(in.Endpoint); err != nil {
		return nil, err
	}
	d, err := s.team.Devices.Add(r.Context(), chat.PushDevice{Person: ownerOf(by), SignIn: by.SignIn, Endpoint: in.Endpoint, P256dh: in.Keys.P256dh, Auth: in.Keys.Auth, Label: in.Label})
	if err == nil {
		s.Audit(r, by, chat.AuditDeviceAdded, d.Label, "")
	}
	return d, err
}

// remove answers DELETE /api/admin/push/devices/{id}. Others' do not exist for
// operators.
func (s *pushAPI) remove(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	owner := ownerOf(by)
	if by.OfRelay() {
		owner = ""
	}
	return s.Audited(r, by, chat.AuditDeviceRemoved, web.PathVar(r, "id"), s.team.Devices.Remove(r.Context(), owner, web.PathVar(r, "id")))
}

// test answers POST /api/admin/push/devices/{id}/test with what the push
// service said.
func (s *pushAPI) test(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.team.Devices.List(r.Context(), ownerOf(by))
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].ID != web.PathVar(r, "id") {
			continue
		}
		answer := map[string]any{"ok": true}
		if err := s.push.Test(r.Context(), &list[i]); err != nil {
			answer["ok"], answer["error"] = false, chat.ReasonOf(reasonOf(err))
		}
		return answer, nil
	}
	return nil, chat.ErrDeviceNotFound
}

// reasonOf is an error's text, without what the outbox makes of it.
func reasonOf(err error) string {
	var pause *chat.RetryAfter
	if errors.As(err, &pause) {
		err = pause.Cause
	}
	return err.Error()
}
