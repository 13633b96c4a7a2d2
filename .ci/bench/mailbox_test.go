package bench

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

const (
	mails       = 1000
	mailSize    = 10 << 20
	answered    = 100 // conversations that they belong to
	mailsAtOnce = 20  // in the mailbox, which is kept in this process
	mailMemory  = 64  // MiB above idle
)

// BenchmarkMailbox reads 1,000 answers with a file each, 10 MiB as they travel, and reports the most memory
// that relay and the processes that read e-mails had together, above what relay had before.
func BenchmarkMailbox(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	for b.Loop() {
		r := &run{b: b, programs: programs, folder: b.TempDir()}
		box, out := mailtest.NewMailbox(b), mailtest.New(b)
		relay := r.start(func(port string) *exec.Cmd {
			cmd := r.relay(port)
			cmd.Env = append(cmd.Env, "SMTP_URL="+out.URL(), "IMAP_URL="+box.URL(), "MAIL_FROM=shop@shop.example")
			return cmd
		})
		addresses := r.answerAddresses(relay)
		idle, err := familyMemory(relay)
		r.must(err)
		peak := watchPeak(relay)
		begin := time.Now()
		for first := 0; first < mails; first += mailsAtOnce {
			for i := range mailsAtOnce {
				box.Put(bigAnswer(first+i, addresses[(first+i)%answered]))
			}
			waitSeen(b, box)
			emptyMailbox(b, box.Addr)
		}
		took := time.Since(begin)
		most := (peak() - idle) / (1 << 20)
		fmt.Printf("\n%d e-mails of 10 MiB in %.0f s: %.1f MiB above %.1f MiB idle, with the processes that read them (limit %d)\n",
			mails, took.Seconds(), most, idle/(1<<20), mailMemory)
		b.ReportMetric(most, "MiB-above-idle")
		r.must(relay.stop())
		if most > mailMemory {
			b.Errorf("reading e-mails takes %.1f MiB, more than %d", most, mailMemory)
		}
	}
}

// answerAddresses begins conversations and returns the addresses of answers to them.
func (r *run) answerAddresses(relay *server) []string {
	r.b.Helper()
	var sessions []string
	for i := range answered {
		v, err := newVisitor(relay.address, i)
		r.must(err)
		sessions = append(sessions, v.session)
	}
	store, err := db.Open(r.b.Context(), "sqlite://"+filepath.Join(r.folder, "relay.db"), db.Options{Shared: true})
	r.must(err)
	defer store.Close()
	var key string
	r.must(store.ReadOne(r.b.Context(), func(rd chat.Reader) (err error) {
		key, err = rd.Meta("file_key")
		return err
	}))
	threads := chat.NewMailThreads([]byte(chat.Hash("mail threads:" + key)))
	for i, id := range sessions {
		sessions[i] = "shop+" + threads.Visitor(id) + "@shop.example"
	}
	return sessions
}

// bigAnswer is an e-mail with a file, which is another one each time.
func bigAnswer(i int, to string) string {
	file := bytes.Repeat([]byte(fmt.Sprintf("parcel %07d\n", i)), mailSize*3/4/15)
	var text strings.Builder
	fmt.Fprintf(&text, "From: Ada <ada%d@customer.example>\r\nTo: %s\r\nSubject: Re: your order\r\nMessage-ID: <big-%d@customer.example>\r\n"+
		"Date: %s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=mixed\r\n\r\n--mixed\r\nContent-Type: text/plain\r\n\r\n"+
		"Here is number %d.\r\n--mixed\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=parcel-%d.txt\r\n"+
		"Content-Transfer-Encoding: base64\r\n\r\n", i, to, i, time.Now().Format(time.RFC1123Z), i, i)
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(file)), 76) {
		text.Write(line)
		text.WriteString("\r\n")
	}
	text.WriteString("--mixed--\r\n")
	return text.String()
}

// waitSeen waits until all in the mailbox was taken.
func waitSeen(b *testing.B, box *mailtest.Mailbox) {
	b.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		seen, all := box.Seen()
		if seen == all {
			return
		}
		if time.Now().After(end) {
			b.Fatalf("relay took %d of %d e-mails", seen, all)
		}
	}
}

// emptyMailbox removes all that is in a mailbox, as a person would.
func emptyMailbox(b *testing.B, address string) {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	check(b, err)
	client := imapclient.New(conn, nil)
	defer client.Close()
	check(b, client.Login(mailtest.Name, mailtest.Password).Wait())
	_, err = client.Select("INBOX", nil).Wait()
	check(b, err)
	all := imap.SeqSet{}
	all.AddRange(1, 0)
	check(b, client.Store(all, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}, nil).Close())
	check(b, client.Expunge().Close())
	check(b, client.Logout().Wait())
}

// watchPeak looks every 5 ms how much memory a program and its children have, until it is asked for the most.
func watchPeak(s *server) (most func() float64) {
	over, result := make(chan struct{}), make(chan float64)
	go func() {
		var peak float64
		for {
			select {
			case <-over:
				result <- peak
				return
			case <-time.After(5 * time.Millisecond):
				if now, err := familyMemory(s); err == nil { // a child may have ended meanwhile
					peak = max(peak, now)
				}
			}
		}
	}()
	return func() float64 {
		close(over)
		return <-result
	}
}

// familyMemory is the resident memory of a program and of its children, in bytes. What they share counts once,
// and a child that is not yet another program has none of its own.
func familyMemory(s *server) (float64, error) {
	const file, name = "smaps_rollup", "Pss:"
	parent := strconv.Itoa(s.cmd.Process.Pid)
	sum, err := memoryOf(parent, file, name)
	if err != nil {
		return 0, err
	}
	command, err := os.ReadFile("/proc/" + parent + "/cmdline")
	if err != nil {
		return 0, err
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		pids, _ := os.ReadFile(list) // a thread may have ended meanwhile
		for pid := range strings.FieldsSeq(string(pids)) {
			if own, _ := os.ReadFile("/proc/" + pid + "/cmdline"); bytes.Equal(own, command) {
				continue
			}
			if used, err := memoryOf(pid, file, name); err == nil {
				sum += used
			}
		}
	}
	return sum, nil
}
