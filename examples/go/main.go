// Signs requests with nothing but Go's standard library: reads the calling key, then builds an order's transaction.
//
//	go run examples/go/main.go
//
// Credentials are read from the environment: PARTNER_TRADING_BASE_URL, _API_KEY, _API_SECRET, _CHAIN_ID and _PRODUCT.
// While a sandbox runs, this sets them from .sandbox/state.json:  eval "$(node examples/sandbox-env.mjs)"
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Client calls the API with one key on one chain and product.
type Client struct {
	BaseURL, APIKey, APISecret, ChainID, Product string
	HTTP                                         *http.Client
}

// APIError is a failure that the API answered. ErrCode is stable; quote UUID to support.
type APIError struct {
	Code      int
	ErrMsg    string
	ErrCode   string
	Param     string
	Retryable bool
	UUID      string
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%d %s: %s (param %q, uuid %s)", e.Code, e.ErrCode, e.ErrMsg, e.Param, e.UUID)
}

// CanonicalURI returns the path from /api/v1 with its query sorted by name: what is signed, and exactly what is sent.
func CanonicalURI(path string, query map[string]string) string {
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	sort.Strings(names)
	pairs := make([]string, 0, len(names))
	for _, name := range names {
		// QueryEscape writes a blank as a plus sign, which the API does not read as a blank.
		pairs = append(pairs, name+"="+strings.ReplaceAll(url.QueryEscape(query[name]), "+", "%20"))
	}
	if len(pairs) == 0 {
		return "/api/v1" + path
	}
	return "/api/v1" + path + "?" + strings.Join(pairs, "&")
}

// Sign returns the value of x-api-sign. The body is exactly what is sent.
func Sign(secret, method, uri, timestamp, nonce string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%s\n", method, uri, timestamp, nonce)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Call sends a signed request, and decodes the data of a successful answer into result.
func (c *Client) Call(method, path string, query map[string]string, input, result any) error {
	var body []byte
	if input != nil {
		encoded, err := json.Marshal(input)
		if err != nil {
			return err
		}
		body = encoded
	}
	nonce, err := newUUID()
	if err != nil {
		return err
	}
	uri := CanonicalURI(path, query)
	timestamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
	request, err := http.NewRequest(method, c.BaseURL+uri, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"x-api-key":      c.APIKey,
		"x-api-ts":       timestamp,
		"x-api-nonce":    nonce,
		"x-api-chain-id": c.ChainID,
		"x-api-p":        c.Product,
		"x-api-sign":     Sign(c.APISecret, method, uri, timestamp, nonce, body),
	} {
		request.Header.Set(name, value)
	}
	if body != nil {
		request.Header.Set("content-type", "application/json")
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return decode(response.Body, result)
}

func decode(answer io.Reader, result any) error {
	var envelope struct {
		APIError
		Data json.RawMessage
	}
	if err := json.NewDecoder(answer).Decode(&envelope); err != nil {
		return fmt.Errorf("the answer is not of this API; check the base URL: %w", err)
	}
	if envelope.Code != http.StatusOK {
		return &envelope.APIError
	}
	return json.Unmarshal(envelope.Data, result)
}

func newUUID() (string, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

func clientFromEnvironment() (*Client, error) {
	client := &Client{HTTP: &http.Client{
		Timeout: 30 * time.Second,
		// The target of a redirect would get signed headers.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for name, field := range map[string]*string{
		"PARTNER_TRADING_BASE_URL":   &client.BaseURL,
		"PARTNER_TRADING_API_KEY":    &client.APIKey,
		"PARTNER_TRADING_API_SECRET": &client.APISecret,
		"PARTNER_TRADING_CHAIN_ID":   &client.ChainID,
		"PARTNER_TRADING_PRODUCT":    &client.Product,
	} {
		if *field = os.Getenv(name); *field == "" {
			return nil, errors.New(name + " is not set")
		}
	}
	return client, nil
}

func run(arguments []string) error {
	// Prints the signature of given values: go run main.go sign METHOD URI TIMESTAMP NONCE BODY
	if len(arguments) == 6 && arguments[0] == "sign" {
		secret, a := os.Getenv("PARTNER_TRADING_API_SECRET"), arguments
		fmt.Println(Sign(secret, a[1], a[2], a[3], a[4], []byte(a[5])))
		return nil
	}
	client, err := clientFromEnvironment()
	if err != nil {
		return err
	}

	var filled struct {
		Rows []struct{ OrderID, Status string }
	}
	query := map[string]string{"status": "Partial filled", "limit": "5"}
	if err := client.Call("GET", "/orders", query, nil, &filled); err != nil {
		return err
	}
	fmt.Printf("%d orders are partly filled\n", len(filled.Rows))

	// Nothing happens yet: the answer is the transaction for the user's wallet. Amounts are decimal strings.
	order := map[string]any{
		"symbol": "AAPL", "side": "Buy", "type": "Market", "notional": "100",
		"deadline": time.Now().Add(10 * time.Minute).Unix(),
	}
	var transaction struct{ ToAddress, Value, CallData string }
	if err := client.Call("POST", "/orders/calldata", nil, order, &transaction); err != nil {
		return err
	}
	fmt.Printf("send %s with %d bytes of calldata\n", transaction.ToAddress, len(transaction.CallData)/2-1)
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
