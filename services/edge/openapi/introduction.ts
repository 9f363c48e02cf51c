import { pageSize } from "../certificates/query-values.ts";
import { queryBytesMax } from "../http/query-errors.ts";
import { errorTable } from "./error-responses.ts";

/** The description of the API as Markdown. */
export const introduction = `Read the certificates of a store and keep your copy up to date.

**Pagination.** A page has at most \`limit\` certificates (${pageSize.min} to ${pageSize.max}, default ${pageSize.default}). Request the first page with \`limit=100\`. While \`next_cursor\` is not null, send it as \`cursor\`, again with \`limit=100\`, to get the next page; the cursor carries the filters of its query, encrypted. A cursor does not expire, but becomes invalid (400) when the operator withdraws its encryption key or restores the service's data from a backup.

**Synchronization.** Store the newest \`updatedAt\` that you have read from the list and send it as \`updated_since\` in your next run. Do not use the \`updatedAt\` of webhook messages for this: an earlier message may have been lost. Within a store, \`updatedAt\` is unique and changes become visible in the order of \`updatedAt\`, so you never miss a change. You can therefore also stop in the middle of the list and resume later, without the cursor, with \`updated_since\`. A new value of the response header \`X-Feed-Epoch\` means that the data were restored from a backup, or that the key is another store's: discard your copy and read the list again.

**Changes without a message.** Expiry does not change \`updatedAt\` and sends no message: compute from \`expiresAt\` whether an active certificate has expired. New settings of the store (verification address, language, edition style) change \`verifyUrl\` and \`edition.formatted\`, but not \`updatedAt\`, and send no message: read the whole list again after you change them. Replacing the verification link of one certificate changes its \`verifyUrl\` and \`updatedAt\`, and sends no message: the next request with \`updated_since\` returns the certificate. The erasure of a person replaces the name and email address in \`owner\` and \`originalBuyer\` by placeholders, in the same way.

**Validation.** An unknown, repeated, empty or invalid parameter is rejected with 400, so a misspelt filter never returns unfiltered data. Parameter names and status values are case-sensitive, a \`+\` in the query is a plus sign, and the query is limited to ${queryBytesMax} bytes.

**Rate limit.** A store may send 120 requests in any 60 seconds; all keys of a store share this limit. The operator can change the limit: \`RateLimit-Policy\` contains the limit in force. A request refused with 401, 403 or 429 does not count towards the limit; a request refused with 400 for a parameter or with 404 for an id does, as does an admitted request whose client disconnects. A 429 for too many invalid keys from one address has no \`RateLimit\` header.

**Compatibility.** Within \`/v1\` and within a version of the messages, a later release may add optional parameters, members of objects, headers, error codes and events. It does not remove or rename any of them, does not change their types or meanings, and adds no values to \`status\`. Ignore members and headers that you do not know. Handle an unknown error code by its status. Respond to an unknown event with a 2xx status, and store its certificate.

**Errors.** All errors have the same JSON format. The checks run in this order: 401, 403, 429, 400, and 404 for an id.

${errorTable()}`;
