package team

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Reader is what the team reads of the store.
type Reader interface {
	chat.PeopleReader
	chat.PasskeyReader
	chat.APIKeyReader
	chat.SignOnReader
	chat.TwoStepReader
	chat.OAuthReader
	chat.DeviceReader
	chat.HookReader
	Meta(name string) (string, error)
}

// Tx is what the team changes in the store.
type Tx interface {
	Reader
	chat.PeopleTx
	chat.PasskeyTx
	chat.APIKeyTx
	chat.SignOnTx
	chat.TwoStepTx
	chat.OAuthTx
	chat.DeviceTx
	chat.HookTx
	PutSetting(name string, value chat.Raw) error
	DeleteSetting(name string) error
	PutMeta(name, value string) error
	LockMeta(name string) (string, error)
}

// store is the store as far as the team knows it.
type store struct{ whole chat.Store }

func (s store) Apply(ctx context.Context, op func(Tx) error) error {
	return s.whole.Apply(ctx, func(tx chat.Tx) error { return op(tx) })
}

func (s store) Read(ctx context.Context, op func(Reader) error) error {
	return s.whole.Read(ctx, func(rd chat.Reader) error { return op(rd) })
}

func (s store) ReadOne(ctx context.Context, op func(Reader) error) error {
	return s.whole.ReadOne(ctx, func(rd chat.Reader) error { return op(rd) })
}
