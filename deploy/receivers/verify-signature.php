<?php
// Receives webhook messages of the certificate registry and verifies their signatures. Requires only PHP 7.4 or newer.
// Try it: WEBHOOK_SECRETS=crs_… php -S 127.0.0.1:8000 verify-signature.php

declare(strict_types=1);

// X-Service-Signature, -Next and -Previous, as PHP names them.
const SIGNATURE_HEADERS = [
    'HTTP_X_SERVICE_SIGNATURE', 'HTTP_X_SERVICE_SIGNATURE_NEXT', 'HTTP_X_SERVICE_SIGNATURE_PREVIOUS',
];
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Returns whether a message was signed with one of the secrets.
 *
 * @param string $rawBody the bytes as received, before any parsing
 * @param array $server `$_SERVER`, which contains the headers
 * @param string[] $secrets the whole text as displayed, including `crs_`; two during a rotation
 */
function is_genuine(string $rawBody, array $server, array $secrets): bool
{
    foreach ($secrets as $secret) {
        if ($secret === '') {
            continue;
        }
        $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
        foreach (SIGNATURE_HEADERS as $name) {
            if (hash_equals($expected, $server[$name] ?? '')) {
                return true;
            }
        }
    }
    return false;
}

// Limits the bytes that are read, because a request may have no Content-Length or a wrong one.
$rawBody = (string) file_get_contents('php://input', false, null, 0, BODY_BYTES_MAX + 1);
if (strlen($rawBody) > BODY_BYTES_MAX) {
    http_response_code(413);
    return;
}
$secrets = explode(',', (string) getenv('WEBHOOK_SECRETS'));
if (!is_genuine($rawBody, $_SERVER, $secrets)) {
    http_response_code(401);
    return;
}
// Parse the body only now. Queue the message, respond immediately, and process it afterwards.
http_response_code(204);
