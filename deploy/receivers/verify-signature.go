// Receives webhook messages of the certificate registry and verifies their signatures. Requires only Go 1.19 or newer.
// Try it: PORT=8000 WEBHOOK_SECRETS=crs_… go run verify-signature.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

var signatureHeaders = []string{
	"X-Service-Signature", "X-Service-Signature-Next", "X-Service-Signature-Previous",
}

const bodyBytesMax = 1024 * 1024

// isGenuine reports whether a message was signed with one of the secrets.
//
// rawBody contains the bytes as received, before any parsing. secrets contains the whole text of each secret as
// displayed, including `crs_`: two secrets during a rotation.
func isGenuine(rawBody []byte, headers http.Header, secrets []string) bool {
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		digest := hmac.New(sha256.New, []byte(secret))
		digest.Write(rawBody)
		expected := []byte("sha256=" + hex.EncodeToString(digest.Sum(nil)))
		for _, name := range signatureHeaders {
			if hmac.Equal([]byte(headers.Get(name)), expected) {
				return true
			}
		}
	}
	return false
}

func receiveMessage(response http.ResponseWriter, request *http.Request) {
	rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyBytesMax))
	if err != nil {
		status := http.StatusBadRequest
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		response.WriteHeader(status)
		return
	}
	secrets := strings.Split(os.Getenv("WEBHOOK_SECRETS"), ",")
	if !isGenuine(rawBody, request.Header, secrets) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	// Parse the body only now. Queue the message, respond immediately, and process it afterwards.
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	server := http.Server{
		Addr:    "127.0.0.1:" + os.Getenv("PORT"),
		Handler: http.HandlerFunc(receiveMessage),
		// Closes stalled connections, each of which would occupy a goroutine.
		ReadTimeout: 10 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
