package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// kind is whom a route lets in.
type kind int

const (
	open          kind = iota // everybody
	platform                  // pushes of platforms, which bring proofs of their own
	page                      // open, and relay's own pages
	signed                    // whoever has a signed address
	widget                    // pages of allowed origins, with the public key
	session                   // the same with the session's token
	operator                  // the secret key, the console's cookie of the key, or a person's
	administrator             // the same without the operators of the team
	assistant                 // like operator, and pages elsewhere may read what it answers: they bring a token along
	backend                   // the key of bridge mode
)

// entry is a route's place in the matrix: whom it lets in, and a right request.
// $S stands for a session's id, $M for a message of whoever writes there, $F for a
// file's signed address.
type entry struct {
	kind
	path   string
	body   any
	answer int // to the right request of who is let in; 0 is 200
}

// matrix has every route of both servers. A new one needs a line here.
var matrix = map[string]entry{
	"POST /api/widget/messages":        {session, "/api/widget/messages", object{"sessionId": "$S", "content": "hi"}, 0},
	"GET /api/widget/stream":           {session, "/api/widget/stream?sessionId=$S", nil, 0},
	"POST /api/widget/init":            {widget, "/api/widget/init", object{"visitorId": "another"}, 0},
	"GET /api/widget/config":           {widget, "/api/widget/config", nil, 0},
	"GET /api/widget/messages":         {session, "/api/widget/messages?sessionId=$S", nil, 0},
	"PATCH /api/widget/messages/{id}":  {session, "/api/widget/messages/$M", object{"sessionId": "$S", "content": "changed"}, 0},
	"DELETE /api/widget/messages/{id}": {session, "/api/widget/messages/$M?sessionId=$S", nil, 0},
	"POST /api/widget/attachments":     {session, "/api/widget/attachments", formOf, 0},
	"POST /api/widget/identify":        {session, "/api/widget/identify", object{"sessionId": "$S", "name": "Ada"}, 0},
	"POST /api/widget/read":            {session, "/api/widget/read", object{"sessionId": "$S", "messageIds": []string{}}, 0},
	"POST /api/widget/typing":          {session, "/api/widget/typing", object{"sessionId": "$S", "active": true}, 0},
	"POST /api/widget/prechat":         {session, "/api/widget/prechat", object{"sessionId": "$S", "fields": object{}}, 0},
	"POST /api/widget/csat":            {session, "/api/widget/csat", object{"sessionId": "$S", "score": 5}, 0},
	"POST /api/widget/events":          {session, "/api/widget/events", object{"sessionId": "$S", "name": "x"}, 0},
	"POST /api/widget/page":            {session, "/api/widget/page", object{"sessionId": "$S", "url": "https://shop.test/"}, 0},
	"POST /api/widget/handoff":         {session, "/api/widget/handoff", object{"sessionId": "$S"}, 0},
	"POST /api/widget/close":           {session, "/api/widget/close", object{"sessionId": "$S"}, 0},
	"POST /api/widget/transcript":      {session, "/api/widget/transcript", object{"sessionId": "$S"}, 409},
	"POST /api/widget/link":            {session, "/api/widget/link", object{"sessionId": "$S"}, 0},
	"POST /api/widget/conversations":   {session, "/api/widget/conversations", object{"sessionId": "$S"}, 0},
	"POST /api/widget/resume":          {widget, "/api/widget/resume", object{"link": "none"}, 404},
	"GET /api/widget/proactive":        {widget, "/api/widget/proactive", nil, 0},
	"POST /api/widget/live":            {widget, "/api/widget/live", object{"visit": "0123456789abcdef"}, 404}, // until the website wants it
	"POST /api/widget/disconnect":      {session, "/api/widget/disconnect", object{"sessionId": "$S", "reason": "manual"}, 0},

	"GET /api/admin/settings":                                   {operator, "/api/admin/settings", nil, 0},
	"PATCH /api/admin/settings":                                 {administrator, "/api/admin/settings", object{}, 0},
	"GET /api/admin/sessions":                                   {operator, "/api/admin/sessions", nil, 0},
	"POST /api/admin/sessions":                                  {operator, "/api/admin/sessions", object{"email": "ada@example.com", "content": "hi"}, 409}, // without a mail server
	"GET /api/admin/sessions/{session}":                         {operator, "/api/admin/sessions/$S", nil, 0},
	"PATCH /api/admin/sessions/{session}":                       {operator, "/api/admin/sessions/$S", object{"tags": []string{"vip"}}, 0},
	"POST /api/admin/session-changes":                           {operator, "/api/admin/session-changes", object{"ids": []string{"$S"}, "status": "closed"}, 0},
	"GET /api/admin/live-visitors":                              {operator, "/api/admin/live-visitors", nil, 0},
	"POST /api/admin/live-visitors/{visitor}/messages":          {operator, "/api/admin/live-visitors/none/messages", object{"content": "hi"}, 404},
	"GET /api/admin/counts":                                     {operator, "/api/admin/counts", nil, 0},
	"GET /api/admin/search":                                     {operator, "/api/admin/search?q=hi", nil, 0},
	"DELETE /api/admin/sessions/{session}":                      {administrator, "/api/admin/sessions/$S", nil, 0},
	"GET /api/admin/sessions/{session}/messages":                {operator, "/api/admin/sessions/$S/messages", nil, 0},
	"POST /api/admin/sessions/{session}/next":                   {operator, "/api/admin/sessions/$S/next", object{"content": "hi"}, 0},
	"POST /api/admin/sessions/{session}/merge":                  {operator, "/api/admin/sessions/$S/merge", object{"with": "$S", "samePerson": true}, 400}, // not with itself
	"DELETE /api/admin/sessions/{session}/merge":                {operator, "/api/admin/sessions/$S/merge", nil, 0},
	"GET /api/admin/sessions/{session}/export":                  {operator, "/api/admin/sessions/$S/export", nil, 0},
	"GET /api/admin/sessions/{session}/transcript":              {operator, "/api/admin/sessions/$S/transcript", nil, 0},
	"GET /api/admin/sessions/{session}/mails/{mail}":            {operator, "/api/admin/sessions/$S/mails/none", nil, 404},
	"POST /api/admin/sessions/{session}/messages":               {operator, "/api/admin/sessions/$S/messages", object{"content": "hi"}, 0},
	"PATCH /api/admin/sessions/{session}/messages/{id}":         {operator, "/api/admin/sessions/$S/messages/$M", object{"content": "changed"}, 0},
	"DELETE /api/admin/sessions/{session}/messages/{id}":        {operator, "/api/admin/sessions/$S/messages/$M", nil, 0},
	"POST /api/admin/sessions/{session}/attachments":            {operator, "/api/admin/sessions/$S/attachments", formOf, 0},
	"POST /api/admin/sessions/{session}/commands":               {operator, "/api/admin/sessions/$S/commands", object{"command": "!read"}, 0},
	"POST /api/admin/sessions/{session}/close":                  {operator, "/api/admin/sessions/$S/close", nil, 0},
	"POST /api/admin/sessions/{session}/reopen":                 {operator, "/api/admin/sessions/$S/reopen", nil, 0},
	"POST /api/admin/sessions/{session}/block":                  {operator, "/api/admin/sessions/$S/block", nil, 0},
	"POST /api/admin/sessions/{session}/unblock":                {operator, "/api/admin/sessions/$S/unblock", nil, 0},
	"POST /api/admin/sessions/{session}/read":                   {operator, "/api/admin/sessions/$S/read", object{}, 0},
	"POST /api/admin/sessions/{session}/unread":                 {operator, "/api/admin/sessions/$S/unread", nil, 0},
	"POST /api/admin/sessions/{session}/typing":                 {operator, "/api/admin/sessions/$S/typing", object{"active": true}, 0},
	"POST /api/admin/sessions/{session}/transcript":             {operator, "/api/admin/sessions/$S/transcript", nil, 409},
	"POST /api/admin/sessions/{session}/csat":                   {operator, "/api/admin/sessions/$S/csat", nil, 0},
	"POST /api/admin/sessions/{session}/events":                 {operator, "/api/admin/sessions/$S/events", object{"name": "x"}, 0},
	"GET /api/admin/operator/status":                            {operator, "/api/admin/operator/status", nil, 0},
	"POST /api/admin/operator/status":                           {operator, "/api/admin/operator/status", object{"online": true}, 0},
	"POST /api/admin/operator/activity":                         {operator, "/api/admin/operator/activity", nil, 0},
	"GET /api/admin/sites":                                      {operator, "/api/admin/sites", nil, 0},
	"POST /api/admin/sites":                                     {administrator, "/api/admin/sites", object{"name": "x", "id": "main"}, 400},
	"GET /api/admin/sites/{site}":                               {operator, "/api/admin/sites/main", nil, 0},
	"PATCH /api/admin/sites/{site}":                             {administrator, "/api/admin/sites/main", object{"origins": []string{}}, 400},
	"DELETE /api/admin/sites/{site}":                            {administrator, "/api/admin/sites/main?name=x", nil, 400},
	"POST /api/admin/sites/{site}/key":                          {administrator, "/api/admin/sites/none/key", nil, 404},
	"GET /api/admin/sites/{site}/export":                        {administrator, "/api/admin/sites/main/export", nil, 0},
	"POST /api/admin/site-imports":                              {administrator, "/api/admin/site-imports", object{}, 415},
	"GET /api/admin/sites/{site}/settings":                      {operator, "/api/admin/sites/main/settings", nil, 0},
	"PATCH /api/admin/sites/{site}/settings":                    {administrator, "/api/admin/sites/main/settings", object{}, 0},
	"GET /api/admin/bridges":                                    {operator, "/api/admin/bridges", nil, 0},
	"POST /api/admin/bridges/{name}/test":                       {administrator, "/api/admin/bridges/telegram/test", nil, 409},
	"POST /api/admin/bridges/{name}/connect":                    {administrator, "/api/admin/bridges/slack/connect", object{}, 0},
	"DELETE /api/admin/bridges/{name}":                          {administrator, "/api/admin/bridges/none", nil, 404},
	"GET /api/admin/widget":                                     {administrator, "/api/admin/widget", nil, 0},
	"POST /api/admin/widget/look":                               {administrator, "/api/admin/widget/look", object{"url": "http://169.254.169.254/"}, 400},
	"POST /api/admin/deliveries/discard":                        {administrator, "/api/admin/deliveries/discard", object{"dest": "none"}, 0},
	"POST /api/admin/deliveries/{id}/discard":                   {administrator, "/api/admin/deliveries/webhook.$S.1/discard", nil, 404},
	"GET /api/admin/deliveries":                                 {administrator, "/api/admin/deliveries", nil, 0},
	"POST /api/admin/deliveries/retry":                          {administrator, "/api/admin/deliveries/retry", nil, 0},
	"POST /api/admin/deliveries/{id}/retry":                     {operator, "/api/admin/deliveries/webhook.$S.1/retry", nil, 409},
	"POST /api/admin/webhooks/test":                             {administrator, "/api/admin/webhooks/test", nil, 409},
	"GET /api/admin/hooks":                                      {administrator, "/api/admin/hooks", nil, 0},
	"POST /api/admin/hooks":                                     {administrator, "/api/admin/hooks", object{"name": "x", "url": "http://169.254.169.254/", "events": []string{"new_session"}}, 400},
	"PATCH /api/admin/hooks/{hook}":                             {administrator, "/api/admin/hooks/none", object{}, 404},
	"DELETE /api/admin/hooks/{hook}":                            {administrator, "/api/admin/hooks/none", nil, 404},
	"POST /api/admin/hooks/{hook}/test":                         {administrator, "/api/admin/hooks/none/test", nil, 404},
	"GET /api/admin/hooks/{hook}/deliveries":                    {administrator, "/api/admin/hooks/none/deliveries", nil, 404},
	"POST /api/admin/hooks/{hook}/deliveries/{id}":              {administrator, "/api/admin/hooks/none/deliveries/x", nil, 404},
	"GET /api/admin/incoming-hooks":                             {administrator, "/api/admin/incoming-hooks", nil, 0},
	"POST /api/admin/incoming-hooks":                            {administrator, "/api/admin/incoming-hooks", object{"name": "x", "may": []string{}}, 400},
	"PATCH /api/admin/incoming-hooks/{hook}":                    {administrator, "/api/admin/incoming-hooks/none", object{}, 404},
	"DELETE /api/admin/incoming-hooks/{hook}":                   {administrator, "/api/admin/incoming-hooks/none", nil, 404},
	"POST /api/admin/incoming-hooks/{hook}/token":               {administrator, "/api/admin/incoming-hooks/none/token", nil, 404},
	"POST /agents/{key}":                                        {open, "/agents/" + publicKey, object{"jsonrpc": "2.0", "id": 1, "method": "ping"}, 404}, // until the website lets agents in
	"GET /agents/{key}/llms.txt":                                {open, "/agents/" + publicKey + "/llms.txt", nil, 404},
	"POST /hooks/{token}":                                       {open, "/hooks/none", object{"action": "note"}, 404},
	"GET /api/admin/saved-answers":                              {operator, "/api/admin/saved-answers", nil, 0},
	"PUT /api/admin/saved-answers/{name}":                       {operator, "/api/admin/saved-answers/hours", object{"content": "We open at nine."}, 0},
	"DELETE /api/admin/saved-answers/{name}":                    {operator, "/api/admin/saved-answers/none", nil, 404},
	"POST /api/admin/ai/ask":                                    {administrator, "/api/admin/ai/ask", object{"question": "x"}, 409},
	"GET /api/admin/ai/rehearsal":                               {operator, "/api/admin/ai/rehearsal", nil, 0},
	"POST /api/admin/ai/rehearsal":                              {administrator, "/api/admin/ai/rehearsal", object{}, 409},
	"DELETE /api/admin/ai/rehearsal":                            {administrator, "/api/admin/ai/rehearsal", nil, 0},
	"PATCH /api/admin/ai/topics/{id}":                           {administrator, "/api/admin/ai/topics/x", object{"name": "x"}, 404},
	"PATCH /api/admin/ai/rehearsal/{id}":                        {administrator, "/api/admin/ai/rehearsal/x", object{"judged": "good"}, 404},
	"GET /api/admin/ai/actions":                                 {administrator, "/api/admin/ai/actions", nil, 0},
	"POST /api/admin/ai/actions":                                {administrator, "/api/admin/ai/actions", object{"name": "x", "about": "x", "url": "http://169.254.169.254/"}, 400},
	"PATCH /api/admin/ai/actions/{id}":                          {administrator, "/api/admin/ai/actions/x", object{"name": "x"}, 404},
	"DELETE /api/admin/ai/actions/{id}":                         {administrator, "/api/admin/ai/actions/x", nil, 404},
	"POST /api/admin/ai/actions/{id}/try":                       {administrator, "/api/admin/ai/actions/x/try", object{}, 404},
	"POST /api/admin/ai/operations":                             {administrator, "/api/admin/ai/operations", object{"url": "http://169.254.169.254/"}, 400},
	"GET /api/admin/ai/acts":                                    {operator, "/api/admin/ai/acts", nil, 0},
	"POST /api/admin/ai/acts/{id}":                              {operator, "/api/admin/ai/acts/x", object{"yes": true}, 404},
	"POST /api/admin/ai/private-host":                           {administrator, "/api/admin/ai/private-host", object{"url": "x"}, 400},
	"GET /api/admin/mail":                                       {operator, "/api/admin/mail", nil, 0},
	"POST /api/admin/mail/test":                                 {administrator, "/api/admin/mail/test", object{"to": "ana@example.com"}, 409},
	"POST /api/admin/mail/round-trip":                           {administrator, "/api/admin/mail/round-trip", nil, 409},
	"POST /api/admin/sign-on/test":                              {administrator, "/api/admin/sign-on/test", nil, 0},
	"POST /api/admin/mail/consent":                              {administrator, "/api/admin/mail/consent", nil, 409},
	"POST /api/admin/mail/consent/redeem":                       {administrator, "/api/admin/mail/consent/redeem", object{"state": "x"}, 409},
	"POST /api/admin/ai/test":                                   {administrator, "/api/admin/ai/test", nil, 409},
	"GET /api/admin/knowledge":                                  {operator, "/api/admin/knowledge", nil, 0},
	"POST /api/admin/knowledge":                                 {administrator, "/api/admin/knowledge", object{"title": "Hours", "text": "We open at nine."}, 0},
	"POST /api/admin/knowledge/files":                           {administrator, "/api/admin/knowledge/files", formOf, 0},
	"GET /api/admin/knowledge/search":                           {operator, "/api/admin/knowledge/search?q=hours", nil, 0},
	"GET /api/admin/knowledge/questions":                        {operator, "/api/admin/knowledge/questions", nil, 0},
	"GET /api/admin/knowledge/questions/{id}":                   {operator, "/api/admin/knowledge/questions/x", nil, 404},
	"DELETE /api/admin/knowledge/questions/{id}":                {administrator, "/api/admin/knowledge/questions/x", nil, 404},
	"POST /api/admin/knowledge/questions/{id}/answer":           {administrator, "/api/admin/knowledge/questions/x/answer", object{"text": "x"}, 404},
	"GET /api/admin/knowledge/sources/{id}":                     {operator, "/api/admin/knowledge/sources/x", nil, 404},
	"PATCH /api/admin/knowledge/sources/{id}":                   {administrator, "/api/admin/knowledge/sources/x", object{"site": nil}, 404},
	"DELETE /api/admin/knowledge/sources/{id}":                  {administrator, "/api/admin/knowledge/sources/x", nil, 404},
	"POST /api/admin/knowledge/sources/{id}/refresh":            {administrator, "/api/admin/knowledge/sources/x/refresh", nil, 404},
	"GET /api/admin/stats":                                      {operator, "/api/admin/stats", nil, 0},
	"GET /api/admin/statistics":                                 {operator, "/api/admin/statistics", nil, 0},
	"GET /api/admin/statistics.csv":                             {operator, "/api/admin/statistics.csv", nil, 0},
	"GET /api/admin/export":                                     {administrator, "/api/admin/export", nil, 0},
	"GET /api/admin/system":                                     {administrator, "/api/admin/system", nil, 0},
	"GET /api/admin/system/backup":                              {administrator, "/api/admin/system/backup", nil, 409},
	"POST /api/admin/system/backups":                            {administrator, "/api/admin/system/backups", nil, 409},
	"GET /api/admin/system/backups/{name}":                      {administrator, "/api/admin/system/backups/x", nil, 404},
	"GET /api/admin/push":                                       {operator, "/api/admin/push", nil, 0},
	"POST /api/admin/push/devices":                              {operator, "/api/admin/push/devices", object{"endpoint": "x"}, 400},
	"DELETE /api/admin/push/devices/{id}":                       {operator, "/api/admin/push/devices/x", nil, 404},
	"POST /api/admin/push/devices/{id}/test":                    {operator, "/api/admin/push/devices/x/test", nil, 404},
	"GET /api/admin/visitors":                                   {administrator, "/api/admin/visitors?visitor=x", nil, 0},
	"GET /api/admin/visitors/export":                            {administrator, "/api/admin/visitors/export?visitor=x", nil, 404},
	"DELETE /api/admin/visitors":                                {administrator, "/api/admin/visitors?visitor=x", nil, 404},
	"POST /api/admin/keys/rotate":                               {administrator, "/api/admin/keys/rotate", object{"key": "neither"}, 400},
	"GET /api/admin/api-keys":                                   {operator, "/api/admin/api-keys", nil, 0},
	"POST /api/admin/api-keys":                                  {operator, "/api/admin/api-keys", object{"name": "x", "scopes": []string{}}, 400},
	"DELETE /api/admin/api-keys/{key}":                          {operator, "/api/admin/api-keys/x", nil, 404},
	"GET /api/admin/stream":                                     {operator, "/api/admin/stream", nil, 0},
	"GET /api/admin/sessions/{session}/contact":                 {operator, "/api/admin/sessions/$S/contact", nil, 0},
	"PATCH /api/admin/sessions/{session}/contact":               {operator, "/api/admin/sessions/$S/contact", object{"name": "Ada"}, 0},
	"POST /api/admin/sessions/{session}/contact/notes":          {operator, "/api/admin/sessions/$S/contact/notes", object{"content": "hi"}, 0},
	"DELETE /api/admin/sessions/{session}/contact/notes/{note}": {operator, "/api/admin/sessions/$S/contact/notes/none", nil, 404},

	"GET /api/admin/me":                       {operator, "/api/admin/me", nil, 0},
	"PATCH /api/admin/me":                     {operator, "/api/admin/me", object{}, 0},
	"PUT /api/admin/me/face":                  {operator, "/api/admin/me/face", object{}, 415},
	"DELETE /api/admin/me/face":               {operator, "/api/admin/me/face", nil, 0},
	"GET /api/admin/sign-ins":                 {operator, "/api/admin/sign-ins", nil, 0},
	"DELETE /api/admin/sign-ins":              {operator, "/api/admin/sign-ins", nil, 0},
	"DELETE /api/admin/sign-ins/{id}":         {operator, "/api/admin/sign-ins/x", nil, 404},
	"GET /api/admin/passkeys":                 {operator, "/api/admin/passkeys", nil, 0},
	"POST /api/admin/passkeys":                {operator, "/api/admin/passkeys", object{}, 409},
	"POST /api/admin/passkey-challenge":       {operator, "/api/admin/passkey-challenge", object{}, 409},
	"PATCH /api/admin/passkeys/{id}":          {operator, "/api/admin/passkeys/x", object{"name": "x"}, 404},
	"DELETE /api/admin/passkeys/{id}":         {operator, "/api/admin/passkeys/x", nil, 404},
	"GET /api/admin/two-step":                 {operator, "/api/admin/two-step", nil, 0},
	"POST /api/admin/two-step":                {operator, "/api/admin/two-step", object{}, 409},
	"POST /api/admin/two-step/confirm":        {operator, "/api/admin/two-step/confirm", object{}, 409},
	"POST /api/admin/two-step/recovery-codes": {operator, "/api/admin/two-step/recovery-codes", object{}, 409},
	"POST /api/admin/two-step/off":            {operator, "/api/admin/two-step/off", object{}, 409},
	"DELETE /api/admin/people/{id}/two-step":  {administrator, "/api/admin/people/x/two-step", nil, 404},
	"GET /api/admin/people":                   {operator, "/api/admin/people", nil, 0},
	"POST /api/admin/people":                  {administrator, "/api/admin/people", object{}, 400},
	"PATCH /api/admin/people/{id}":            {administrator, "/api/admin/people/x", object{}, 404},
	"DELETE /api/admin/people/{id}":           {administrator, "/api/admin/people/x", nil, 404},
	"POST /api/admin/people/{id}/reset":       {administrator, "/api/admin/people/x/reset", nil, 404},
	"GET /api/admin/invitations":              {administrator, "/api/admin/invitations", nil, 0},
	"POST /api/admin/invitations":             {administrator, "/api/admin/invitations", object{"role": "operator"}, 0},
	"POST /api/admin/invitations/{id}/mail":   {administrator, "/api/admin/invitations/none/mail", nil, 409},
	"DELETE /api/admin/invitations/{id}":      {administrator, "/api/admin/invitations/x", nil, 404},
	"GET /api/admin/audit":                    {administrator, "/api/admin/audit", nil, 0},

	"GET /.well-known/oauth-protected-resource/mcp": {open, "/.well-known/oauth-protected-resource/mcp", nil, 0},
	"GET /.well-known/oauth-authorization-server":   {open, "/.well-known/oauth-authorization-server", nil, 0},
	"POST /oauth/register":                          {open, "/oauth/register", object{"redirect_uris": []string{"http://127.0.0.1/cb"}}, 201},
	"POST /oauth/token":                             {open, "/oauth/token", nil, 400},
	"POST /oauth/revoke":                            {open, "/oauth/revoke", nil, 400},
	"GET /oauth/authorize":                          {page, "/oauth/authorize", nil, 400},
	"HEAD /oauth/authorize":                         {page, "/oauth/authorize", nil, 400},
	"GET /console/connect":                          {page, "/console/connect", nil, 400},
	"HEAD /console/connect":                         {page, "/console/connect", nil, 400},
	"POST /console/connect":                         {page, "/console/connect", nil, 403},

	"POST /mcp": {assistant, "/mcp", object{"jsonrpc": "2.0", "id": 1, "method": "ping"}, 0},

	"GET /console/invitation":         {page, "/console/invitation", nil, 0},
	"HEAD /console/invitation":        {page, "/console/invitation", nil, 0},
	"POST /console/invitation/check":  {page, "/console/invitation/check", object{"token": "x"}, 404},
	"POST /console/invitation/accept": {page, "/console/invitation/accept", object{"token": "x"}, 404},
	"POST /console/passkey/challenge": {page, "/console/passkey/challenge", nil, 409},
	"POST /console/passkey/sign-in":   {page, "/console/passkey/sign-in", object{}, 409},
	"GET /faces/{id}":                 {open, "/faces/x", nil, 404},
	"HEAD /faces/{id}":                {open, "/faces/x", nil, 404},
	"GET /pictures/{site}":            {open, "/pictures/x", nil, 404},
	"HEAD /pictures/{site}":           {open, "/pictures/x", nil, 404},

	"POST /api/webhooks/{name}": {platform, "/api/webhooks/telegram", object{}, 503},
	"POST /webhooks/{name}":     {platform, "/webhooks/telegram", object{}, 503},

	"GET /files/{id}/{name}":  {signed, "$F", nil, 0},
	"HEAD /files/{id}/{name}": {signed, "$F", nil, 0},
	"GET /files/{token}":      {open, "/files/x", nil, 404},
	"HEAD /files/{token}":     {open, "/files/x", nil, 404},

	"GET /health":                       {open, "/health", nil, 0},
	"HEAD /health":                      {open, "/health", nil, 0},
	"GET /ready":                        {open, "/ready", nil, 0},
	"HEAD /ready":                       {open, "/ready", nil, 0},
	"GET /":                             {page, "/", nil, 0},
	"HEAD /":                            {page, "/", nil, 0},
	"POST /setup/done":                  {page, "/setup/done", nil, 303},
	"GET /demo":                         {page, "/demo", nil, 0},
	"GET /chat":                         {page, "/chat", nil, 0},
	"HEAD /chat":                        {page, "/chat", nil, 0},
	"GET /c/{link}":                     {page, "/c/none", nil, 404},
	"HEAD /c/{link}":                    {page, "/c/none", nil, 404},
	"GET /mail/{letter}":                {page, "/mail/none", nil, 404},
	"HEAD /mail/{letter}":               {page, "/mail/none", nil, 404},
	"POST /mail/{letter}":               {page, "/mail/none", nil, 404},
	"POST /mail/{letter}/confirm":       {page, "/mail/none/confirm", nil, 404},
	"GET /chat/{site}":                  {page, "/chat/main", nil, 0},
	"HEAD /chat/{site}":                 {page, "/chat/main", nil, 0},
	"GET /chat/{site}/app.webmanifest":  {page, "/chat/main/app.webmanifest", nil, 0},
	"HEAD /chat/{site}/app.webmanifest": {page, "/chat/main/app.webmanifest", nil, 0},
	"GET /preview":                      {page, "/preview", nil, 0},
	"HEAD /preview":                     {page, "/preview", nil, 0},
	"HEAD /demo":                        {page, "/demo", nil, 0},
	"GET /console":                      {page, "/console", nil, 0},
	"HEAD /console":                     {page, "/console", nil, 0},
	"GET /console/sign-on":              {page, "/console/sign-on", nil, 404},
	"HEAD /console/sign-on":             {page, "/console/sign-on", nil, 404},
	"GET /console/sign-on/return":       {page, "/console/sign-on/return", nil, 403},
	"HEAD /console/sign-on/return":      {page, "/console/sign-on/return", nil, 0},
	"GET /console/consent":              {page, "/console/consent?state=x&code=y", nil, 0},
	"HEAD /console/consent":             {page, "/console/consent?state=x&code=y", nil, 0},
	"POST /console/login":               {page, "/console/login", nil, 401},
	"POST /console/code":                {page, "/console/code", nil, 401},
	"POST /console/logout":              {page, "/console/logout", nil, 303},
	"GET /widget.js":                    {page, "/widget.js", nil, 0},
	"HEAD /widget.js":                   {page, "/widget.js", nil, 0},
	"GET /widget.mjs":                   {page, "/widget.mjs", nil, 0},
	"HEAD /widget.mjs":                  {page, "/widget.mjs", nil, 0},
	"GET /widget.d.mts":                 {page, "/widget.d.mts", nil, 0},
	"HEAD /widget.d.mts":                {page, "/widget.d.mts", nil, 0},
	"GET /widget/{file}":                {page, "/widget/widget.js", nil, 0},
	"HEAD /widget/{file}":               {page, "/widget/widget.js", nil, 0},
	"GET /static/{file}":                {page, "/static/console.js", nil, 0},
	"HEAD /static/{file}":               {page, "/static/console.js", nil, 0},
	"GET /openapi.yaml":                 {page, "/openapi.yaml", nil, 0},
	"HEAD /openapi.yaml":                {page, "/openapi.yaml", nil, 0},
	"GET /docs":                         {page, "/docs", nil, 0},
	"HEAD /docs":                        {page, "/docs", nil, 0},
	"GET /docs/{guide}":                 {page, "/docs/widget", nil, 0},
	"HEAD /docs/{guide}":                {page, "/docs/widget", nil, 0},
	"POST /api/messages":                {backend, "/api/messages", object{}, 400},
	"POST /api/sessions":                {backend, "/api/sessions", object{}, 400},
	"POST /api/events":                  {backend, "/api/events", object{}, 400},
	"POST /api/disconnect":              {backend, "/api/disconnect", object{}, 400},
	"GET /api/events/stream":            {backend, "/api/events/stream", nil, 0},
	"GET /api/stats":                    {backend, "/api/stats", nil, 0},

	"POST /api/operator/status": {backend, "/api/operator/status", object{}, 400},
	"POST /api/custom-events":   {backend, "/api/custom-events", object{}, 400},
}

// noAccount are the routes of one's own account, which the secret key has not.
var noAccount = map[string]bool{"PATCH /api/admin/me": true, "PUT /api/admin/me/face": true, "DELETE /api/admin/me/face": true, "DELETE /api/admin/sign-ins": true}

// ownWords are the routes to words that only who wrote them and administrators change. $M
// was written with the secret key.
var ownWords = map[string]bool{"PATCH /api/admin/sessions/{session}/messages/{id}": true, "DELETE /api/admin/sessions/{session}/messages/{id}": true}

// formOf stands for an upload's form.
var formOf any = "form"

// credential is what a caller brings.
type credential struct {
	name, key string
	header    []string
}

// otherSite is the caller who has another site's key, and the token of a session of the
// first.
const (
	otherSite = "another site's key and the token"
	otherKey  = "pk_other_0123456789abcdef"
)

// origin is where the caller's page is; a program has none.
type origin struct{ name, origin, site string }

var origins = []origin{
	{"a program", "", ""}, {"an allowed page", "https://shop.test", "cross-site"}, {"a foreign page", "https://evil.test", "cross-site"},
	{"a page without an origin", "null", "cross-site"}, {"relay's own page", "$U", "same-origin"},
}

// judge returns what a caller is answered: 0 stands for the route's own answer.
func (k kind) judge(method, cred string, from origin) int {
	foreign := from.origin == "https://evil.test" || from.origin == "null"
	safe := method == "GET" || method == "HEAD"
	switch k {
	case widget, session:
		switch {
		case foreign:
			return 403
		case cred == otherSite:
			return map[kind]int{widget: 0, session: 404}[k]
		case !strings.HasPrefix(cred, "the public key"):
			return 401
		case k == session && cred != "the public key and the token":
			return 404
		}
	case operator, administrator, assistant:
		switch {
		case cred == "the secret key" && from.origin == "":
			return 0
		case cred == "the secret key", strings.Contains(cred, "public"), cred == "a wrong key", cred == otherSite:
			return 401
		case from.site == "cross-site" && !safe && k == assistant:
			return 401 // with the way to a token
		case from.site == "cross-site" && !safe:
			return 403
		case k == administrator && cred == "an operator's cookie":
			return 403
		case cred != "the console's cookie" && cred != "an administrator's cookie" && cred != "an operator's cookie":
			return 401
		}
	case backend:
		if cred != "the backend's key" {
			return 401
		}
	}
	return 0
}

// TestSecurityMatrix tries every route with every credential from every origin and
// expects exactly one answer of each.
func TestSecurityMatrix(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.AllowedOrigins = []string{"https://shop.test"} })
	s.must("POST", "/api/admin/sites", secretKey, object{"name": "Other", "publicKey": otherKey, "origins": []string{"https://shop.test"}})
	bridge := newBridgeSite(t, func(c *config.Config) { c.APIKey = backendKey })
	for _, rt := range slices.Concat(s.server.Routes(), bridge.server.Routes()) {
		if _, known := matrix[rt]; !known {
			t.Errorf("%s has no place in the matrix: say whom it lets in", rt)
		}
	}
	lists := []string{"GET /api/admin/export", "GET /api/admin/sessions"} // go first: they answer all sessions that the others make
	tried := 0
	for _, rt := range lists {
		tried += s.tryRoute(t, rt, matrix[rt])
	}
	for _, server := range []*site{s, bridge} {
		for _, rt := range server.server.Routes() {
			if _, known := matrix[rt]; known && !slices.Contains(lists, rt) {
				tried += server.tryRoute(t, rt, matrix[rt])
			}
		}
	}
	t.Logf("%d requests", tried)
}

// tryRoute tries one route with everything and returns how many requests it made.
func (s *site) tryRoute(t *testing.T, rt string, e entry) (tried int) {
	method, _, _ := strings.Cut(rt, " ")
	community := s.ring != nil
	cookie, admin, colleague := "", "", ""
	if community {
		cookie, admin, colleague = s.signIn("Olga"), s.cookieOf("Ada", chat.RoleAdministrator), s.cookieOf("Mia", chat.RoleOperator)
	}
	for _, from := range origins {
		if e.kind < signed && from.name == "a page without an origin" {
			continue
		}
		var v victim
		if e.kind >= signed {
			v = s.victim(community)
		}
		for _, cred := range []credential{
			{"nothing", "", nil}, {"a wrong key", "pk_wrong", nil}, {"the public key", publicKey, nil},
			{"the public key and the token", publicKey, []string{"X-Session-Token", v.token}},
			{"the public key and a forged token", publicKey, []string{"X-Session-Token", v.token + "x"}},
			{"the public key and another session's token", publicKey, []string{"X-Session-Token", v.other}},
			{otherSite, otherKey, []string{"X-Session-Token", v.token}},
			{"the token alone", "", []string{"X-Session-Token", v.token}},
			{"the secret key", secretKey, nil}, {"the console's cookie", "", []string{"Cookie", cookie}},
			{"an administrator's cookie", "", []string{"Cookie", admin}}, {"an operator's cookie", "", []string{"Cookie", colleague}},
			{"a forged person's cookie", "", []string{"Cookie", "relay_console=person.x"}},
			{"a forged cookie", "", []string{"Cookie", "relay_console=x"}}, {"the backend's key", backendKey, nil},
		} {
			if e.kind <= signed && cred.name != "nothing" && cred.name != "the secret key" && cred.name != "the console's cookie" {
				continue // these do not ask for any
			}
			s.t = t
			if (e.kind == operator || e.kind == administrator) && cred.name == "the backend's key" {
				cred.name = "a wrong key"
			}
			want := e.judge(method, cred.name, from)
			if want == 0 {
				if want = e.answer; want == 0 {
					want = 200
				}
				if noAccount[rt] && cred.name != "an administrator's cookie" && cred.name != "an operator's cookie" && (cred.name != "the console's cookie" || rt != "DELETE /api/admin/sign-ins") {
					want = 409
				}
				if ownWords[rt] && cred.name == "an operator's cookie" {
					want = 403
				}
				if (e.kind == session || e.kind == operator || e.kind == administrator) && method != "GET" && method != "HEAD" {
					v = s.victim(community) // an earlier request may have ended it
					if cred.name == "the public key and the token" {
						cred.header[1] = v.token
					}
				}
			}
			switch {
			case strings.Contains(rt, " /agents/") && from.name == "a foreign page":
				want = 403
			case strings.HasSuffix(rt, " /") && !community:
				want = 303
			case (rt == "POST /setup/done" || strings.HasPrefix(rt, "POST /console/invitation/") || strings.HasPrefix(rt, "POST /console/passkey/")) && from.site == "cross-site":
				want = 403
			}
			status, body := s.probe(method, e, v, from, cred)
			if tried++; status != want {
				t.Errorf("%s from %s with %s answers %d %.200s, want %d", rt, from.name, cred.name, status, body, want)
			}
			if hidden := `{"error":"Session not found"}`; e.kind == session && status == 404 && body != hidden {
				t.Errorf("%s with %s answers %s, want %s", rt, cred.name, body, hidden)
			}
		}
	}
	return tried
}
