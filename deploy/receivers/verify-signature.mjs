// Receives webhook messages of the certificate registry and verifies their signatures. Requires only Node 18 or newer.
// Try it: PORT=8000 WEBHOOK_SECRETS=crs_… node verify-signature.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const signatureHeaders = ["x-service-signature", "x-service-signature-next", "x-service-signature-previous"];
const bodyBytesMax = 1024 * 1024;

/**
 * Returns whether a message was signed with one of the secrets.
 *
 * @param {Uint8Array} rawBody the bytes as received, before any parsing
 * @param {import("node:http").IncomingHttpHeaders} headers
 * @param {readonly string[]} secrets each as displayed, including `crs_`; two during a rotation
 * @returns {boolean}
 */
export function isGenuine(rawBody, headers, secrets) {
  const given = signatureHeaders.map((name) => Buffer.from(String(headers[name] ?? "")));
  return secrets.some((secret) => {
    if (secret === "") return false;
    const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(rawBody).digest("hex")}`);
    return given.some((value) => value.length === expected.length && timingSafeEqual(value, expected));
  });
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function receiveMessage(request, response) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return response.writeHead(413, { connection: "close" }).end();
  }
  const rawBody = Buffer.concat(chunks);
  const secrets = (process.env.WEBHOOK_SECRETS ?? "").split(",");
  if (!isGenuine(rawBody, request.headers, secrets)) return response.writeHead(401).end();
  // Parse the body only now. Queue the message, respond immediately, and process it afterwards.
  response.writeHead(204).end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = createServer((request, response) => {
    // A client that disconnects before the end of its message must not end the process.
    receiveMessage(request, response).catch(() => response.destroy());
  });
  server.listen(Number(process.env.PORT), "127.0.0.1");
}
