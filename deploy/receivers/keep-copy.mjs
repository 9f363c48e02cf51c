// Keeps a copy of a store's certificates up to date with webhook messages and the list. Requires only Node 18 or newer.
// The copy is in memory here; keep yours in a database.
import { setTimeout as delay } from "node:timers/promises";

/**
 * @typedef {{ id: string, status: string, updatedAt: string, expiresAt: string | null }} Certificate
 *
 * @typedef {object} Copy
 * @property {Map<string, Certificate>} certificates by id
 * @property {string | undefined} watermark the newest `updatedAt` that was read from the list; messages do not change
 * it
 * @property {string | null | undefined} epoch identifies the feed that the copy was read from
 */

/** @returns {Copy} an empty copy; the first call of {@link reconcile} fills it */
export function newCopy() {
  return { certificates: new Map(), watermark: undefined, epoch: undefined };
}

/**
 * Saves the certificate of a message in format v2, unless the message is a test or the copy has the same or a newer
 * state of the certificate. Ignores messages in format v1, which do not contain the whole certificate.
 *
 * @param {Copy} copy
 * @param {Uint8Array} rawBody of a message with a valid signature
 */
export function saveMessage(copy, rawBody) {
  const { version, certificate } = JSON.parse(Buffer.from(rawBody).toString());
  // Only test messages contain samples, whose ids start with smp_. Messages in format v1 contain only the certificate's
  // id and serial number; reconcile() reads the rest.
  if (version === 2 && !certificate.id.startsWith("smp_")) {
    // All times have the same format, so they can be compared as strings. With the same time, the copy may be from the
    // list, and contain a later `verifyUrl`: the store's settings change it without a new `updatedAt`. What the list did
    // not contain up to the watermark, a restore of the service's data has undone.
    const known = copy.certificates.get(certificate.id)?.updatedAt;
    if ([known, copy.watermark].every((time) => time === undefined || time < certificate.updatedAt))
      copy.certificates.set(certificate.id, certificate);
  }
}

/**
 * Reads all changes after the watermark from the list. Call this function before the first message, after downtime, and
 * about once an hour. If a request fails, the next call continues after the last page that was read.
 *
 * @param {Copy} copy
 * @param {string} baseUrl such as `https://registry.example`
 * @param {string} apiKey
 */
export async function reconcile(copy, baseUrl, apiKey) {
  // No filter other than `updated_since`: a certificate that a filter hides would be skipped for good.
  let query = copy.watermark === undefined ? "" : `&updated_since=${encodeURIComponent(copy.watermark)}`;
  for (;;) {
    const url = `${baseUrl}/v1/certificates?limit=100${query}`;
    const { certificates, next_cursor: next, epoch } = await getPage(url, apiKey);
    if (copy.epoch !== undefined && copy.epoch !== epoch) {
      // The service's data were restored from a backup: certificates in the copy may no longer exist.
      Object.assign(copy, newCopy(), { epoch });
      query = "";
      continue;
    }
    copy.epoch = epoch;
    for (const certificate of certificates) save(copy, certificate);
    // Only the list advances the watermark: a message older than the newest received one may have been lost.
    copy.watermark = certificates.at(-1)?.updatedAt ?? copy.watermark;
    if (next === null) return;
    // The cursor contains the filters of the first page.
    query = `&cursor=${encodeURIComponent(next)}`;
  }
}

/**
 * Returns the status of a certificate in the copy as of `now`. Expiry does not change `updatedAt` and sends no message.
 *
 * @param {Certificate} certificate
 * @param {Date} now
 */
export function statusAt({ status, expiresAt }, now) {
  return status === "active" && expiresAt !== null && new Date(expiresAt) <= now ? "expired" : status;
}

/** @type {(copy: Copy, certificate: Certificate) => void} */
function save({ certificates }, certificate) {
  const known = certificates.get(certificate.id);
  // All times have the same format, so they can be compared as strings.
  if (known === undefined || known.updatedAt <= certificate.updatedAt) certificates.set(certificate.id, certificate);
}

const attemptsMax = 10;

/**
 * @typedef {{ certificates: Certificate[], next_cursor: string | null, epoch: string | null }} Page
 *
 * @type {(url: string, apiKey: string) => Promise<Page>}
 */
async function getPage(url, apiKey) {
  for (let attempt = 1; ; attempt++) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
    if (response.status === 200) return { ...(await response.json()), epoch: response.headers.get("x-feed-epoch") };
    const text = await response.text();
    const isTemporary = response.status === 429 || response.status === 503;
    if (!isTemporary || attempt === attemptsMax) throw new Error(`status ${response.status}: ${text}`);
    // A proxy may answer without the header, or with a date.
    const seconds = Number(response.headers.get("retry-after")) || 5;
    await delay(Math.max(1, seconds) * 1_000);
  }
}
