package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// atOnce is how many requests are under way, as many as relay's.
const atOnce = 8

// event is what a bare loop posts.
type event struct {
	Type   string    `json:"type"`
	Data   data      `json:"data"`
	SentAt time.Time `json:"sentAt"`
}

type data struct {
	SessionID string  `json:"sessionId"`
	VisitorID string  `json:"visitorId"`
	Message   message `json:"message"`
}

type message struct {
	ID      string `json:"id"`
	Content string `json:"content"`
}

// webhooks posts ?n= signed events to ?url= in a bare loop and answers when
// all of them are accepted. The request's body is their text.
func webhooks(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.ParseInt(r.URL.Query().Get("n"), 10, 64)
	text, _ := io.ReadAll(r.Body)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	var next, lost atomic.Int64
	for range atOnce {
		all.Go(func() {
			for next.Add(1) <= n {
				if post(client, r.URL.Query().Get("url"), string(text)) != nil {
					lost.Add(1)
				}
			}
		})
	}
	all.Wait()
	if lost.Load() > 0 {
		http.Error(w, "some posts failed", http.StatusInternalServerError)
	}
}

// post posts one event as relay does: with the same headers, signed twice.
func post(client *http.Client, url, text string) error {
	id := "RWJ7KD3QM2AVPLXN5TB6YCHSEF"
	body, err := json.Marshal(event{"visitor_message", data{id, "visitor-1", message{id, text}}, time.Now().UTC()})
	if err != nil {
		return err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Service-Event", "visitor_message")
	req.Header.Set("X-Service-Signature", "sha256="+hex.EncodeToString(sum(body)))
	req.Header.Set("webhook-id", "msg_"+id)
	req.Header.Set("webhook-timestamp", at)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum(append([]byte("msg_"+id+"."+at+"."), body...))))
	req.Header.Set("User-Agent", "floor")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func sum(data []byte) []byte {
	mac := hmac.New(sha256.New, []byte("secret_bench_0123456789abcdef"))
	mac.Write(data)
	return mac.Sum(nil)
}
