package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"plimsoll/internal/client/mailbox"
)

// id identifies a message. A loaded message has epoch 0 and the user whose mailbox it is
// in; others have the epoch and the user of the session that sent them.
type id struct {
	user   int64
	epoch  uint64
	number int64
}

func (i id) String() string { return fmt.Sprintf("%08x.%05d.%d", i.epoch, i.user, i.number) }

// epochs of sessions have the top bit of 32, so that none is 0.
const (
	firstEpoch = 1 << 31
	lastEpoch  = 1<<32 - 1
)

// messageID returns the Message-ID of a message of a volume (RFC 5322, 3.6.4).
func (i id) messageID(volume uint64) string {
	return fmt.Sprintf("%s@%016x.%s", i, volume, mailbox.Domain)
}

// parseID takes it apart; ours is false for what no session of the volume sent.
func parseID(text string, volume uint64) (i id, ours bool) {
	text = strings.Trim(text, "<>")
	if n, err := fmt.Sscanf(text, "%x.%d.%d@", &i.epoch, &i.user, &i.number); n != 3 && err != nil {
		return id{}, false
	}
	return i, i.messageID(volume) == text
}

// box is the name of a user's mailbox.
func box(user int64) string { return fmt.Sprintf("u%05d", user) }

// digest is the digest of a message's body.
type digest [sha256.Size]byte

// digestHeader has the digest, so that whoever reads a message can check it.
const digestHeader = "X-Plimsoll-Digest"

// receivedHeader is the name of the lines that servers add.
const receivedHeader = "Received"

// message is a message with its header.
type message struct {
	id     id
	text   []byte
	digest digest
}

// compose writes a message: a text and, unless it has no bytes, an attachment. What they hold
// is the same for the same id, and is not to be compressed.
func (p *Parameters) compose(volume uint64, i id, to int64, subject string, attachment int64) message {
	random := rand.New(rand.NewPCG(volume^i.epoch, uint64(i.user)<<32^uint64(i.number)))
	var body bytes.Buffer
	kind := "text/plain; charset=us-ascii"
	if attachment > 0 {
		const boundary = "plimsoll-part"
		kind = "multipart/mixed; boundary=" + boundary
		body.WriteString("--" + boundary + "\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n")
		fill(&body, random, int64(p.Text))
		body.WriteString("--" + boundary + "\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n" +
			"Content-Disposition: attachment; filename=data.bin\r\n\r\n")
		fill(&body, random, attachment/3*4)
		body.WriteString("--" + boundary + "--\r\n")
	} else {
		fill(&body, random, int64(p.Text))
	}
	m := message{id: i, digest: sha256.Sum256(body.Bytes())}
	header := fmt.Sprintf("From: <%s>\r\nTo: <%s>\r\nSubject: %s\r\nMessage-ID: <%s>\r\n%s: %x\r\nMIME-Version: 1.0\r\nContent-Type: %s\r\n\r\n",
		mailbox.Address(box(i.user)), mailbox.Address(box(to)), subject, i.messageID(volume), digestHeader, m.digest, kind)
	m.text = append([]byte(header), body.Bytes()...)
	return m
}

// lineBytes is the length of a line of base64 (RFC 2045, 6.8).
const lineBytes = 76

// fill writes lines of base64.
func fill(into *bytes.Buffer, random *rand.Rand, bytes int64) {
	var raw [lineBytes / 4 * 3]byte
	for written := int64(0); written < bytes; written += lineBytes {
		for at := 0; at < len(raw); at += 8 {
			n := random.Uint64()
			for k := at; k < min(at+8, len(raw)); k++ {
				raw[k] = byte(n)
				n >>= 8
			}
		}
		line := base64.StdEncoding.EncodeToString(raw[:])
		into.WriteString(line[:min(int64(len(line)), bytes-written)])
		into.WriteString("\r\n")
	}
}

// foundMessage is a message in a mailbox, as its header and body describe it.
type foundMessage struct {
	messageID string
	digest    digest // of its body as it is
	intact    bool   // its header has the same
	arrival   arrival
}

// arrival names one delivery of a message, by the line that the mailboxes' server adds then
// (RFC 5321, 4.4): two copies with one are not from two deliveries.
type arrival uint64

// arrivalIn reads a header; it is 0 where no server has delivered the message.
func arrivalIn(head []byte) arrival { return arrivalOf(linesOf(head)) }

func arrivalOf(lines []string) arrival {
	for _, line := range lines {
		if key, value, _ := strings.Cut(line, ":"); key == receivedHeader {
			sum := sha256.Sum256([]byte(value))
			return arrival(binary.BigEndian.Uint64(sum[:]))
		}
	}
	return 0
}

// linesOf takes a header apart, with what belongs to one line on it.
func linesOf(head []byte) []string {
	return strings.Split(strings.ReplaceAll(string(head), "\r\n\t", " "), "\r\n")
}

var errNoMessage = errors.New("it has no header of a message")

// inspect reads a message.
func inspect(text []byte) (f foundMessage, err error) {
	head, body, ok := bytes.Cut(text, []byte("\r\n\r\n"))
	if !ok {
		return f, errNoMessage
	}
	lines := linesOf(head)
	f.digest, f.arrival = sha256.Sum256(body), arrivalOf(lines)
	for _, line := range lines {
		switch key, value, _ := strings.Cut(line, ":"); {
		case strings.EqualFold(key, "Message-ID"):
			f.messageID = strings.TrimSpace(value)
		case key == digestHeader:
			f.intact = strings.TrimSpace(value) == hex.EncodeToString(f.digest[:])
		}
	}
	return f, nil
}

// loaded is a message as Prepare leaves it.
func (p *Parameters) loaded(volume uint64, user, number int64) message {
	i := id{user: user, number: number}
	random := rand.New(rand.NewPCG(volume, uint64(user)<<32^uint64(number)))
	return p.compose(volume, i, user, i.String(), p.drawAttachment(random))
}

// drawAttachment returns the size of one.
func (p *Parameters) drawAttachment(random *rand.Rand) int64 {
	return p.Attachments[p.Attachments.Draw(random)].Bytes
}

// numbers is a digest as a part of a receipt.
func (d digest) numbers() (all []uint64) {
	for at := 0; at < len(d); at += 8 {
		all = append(all, binary.BigEndian.Uint64(d[at:]))
	}
	return all
}

// digestOf assembles a digest from numbers.
func digestOf(next func() uint64) (d digest) {
	for at := 0; at < len(d); at += 8 {
		binary.BigEndian.PutUint64(d[at:], next())
	}
	return d
}
