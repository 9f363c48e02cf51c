import { pageSize } from "../certificates/query-values.ts";
import { jsonType } from "../http/error-document.ts";
import { queryBytesMax } from "../http/query-errors.ts";
import { sendFixed, shortCaching, textRendition } from "../http/rendition.ts";
import type { Route } from "../http/route.ts";
import { certificateSchemas } from "./certificate-schemas.ts";
import {
  errorComponents,
  errorResponses,
  errorSchema,
  errorTable,
  httpErrors,
  jsonContent,
} from "./error-responses.ts";
import { listParameters } from "./list-parameters.ts";
import { listenOperations, listenSchemas } from "./listen-operations.ts";
import { headerComponents, responseHeaders } from "./response-headers.ts";
import { type JsonObject, reference } from "./schema.ts";
import { messageHeaders, messageSchemas, webhooks } from "./webhook-messages.ts";

/** Path of the OpenAPI document. */
export const openApiPath = "/v1/openapi.json";

const introduction = `Read the certificates of a store and keep your copy up to date.

**Pagination.** A page has at most \`limit\` certificates (${pageSize.min} to ${pageSize.max}, default ${pageSize.default}). Request the first page with \`limit=100\`. While \`next_cursor\` is not null, send it as \`cursor\`, again with \`limit=100\`, to get the next page; the cursor carries the filters of its query, encrypted. A cursor does not expire, but becomes invalid (400) when the operator withdraws its encryption key or restores the service's data from a backup.

**Synchronization.** Store the newest \`updatedAt\` that you have read from the list and send it as \`updated_since\` in your next run. Do not use the \`updatedAt\` of webhook messages for this: an earlier message may have been lost. Within a store, \`updatedAt\` is unique and changes become visible in the order of \`updatedAt\`, so you never miss a change. You can therefore also stop in the middle of the list and resume later, without the cursor, with \`updated_since\`. A new value of the response header \`X-Feed-Epoch\` means that the data were restored from a backup, or that the key is another store's: discard your copy and read the list again.

**Changes without a message.** Expiry does not change \`updatedAt\` and sends no message: compute from \`expiresAt\` whether an active certificate has expired. New settings of the store (verification address, language, edition style) change \`verifyUrl\` and \`edition.formatted\`, but not \`updatedAt\`, and send no message: read the whole list again after you change them. Replacing the verification link of one certificate changes its \`verifyUrl\` and \`updatedAt\`, and sends no message: the next request with \`updated_since\` returns the certificate. The erasure of a person replaces the name and email address in \`owner\` and \`originalBuyer\` by placeholders, in the same way.

**Validation.** An unknown, repeated, empty or invalid parameter is rejected with 400, so a misspelt filter never returns unfiltered data. Parameter names and status values are case-sensitive, a \`+\` in the query is a plus sign, and the query is limited to ${queryBytesMax} bytes.

**Rate limit.** A store may send 120 requests in any 60 seconds; all keys of a store share this limit. The operator can change the limit: \`RateLimit-Policy\` contains the limit in force. A request refused with 401, 403 or 429 does not count towards the limit; a request refused with 400 for a parameter or with 404 for an id does, as does an admitted request whose client disconnects. A 429 for too many invalid keys from one address has no \`RateLimit\` header.

**Compatibility.** Within \`/v1\` and within a version of the messages, a later release may add optional parameters, members of objects, headers, error codes and events. It does not remove or rename any of them, does not change their types or meanings, and adds no values to \`status\`. Ignore members and headers that you do not know. Handle an unknown error code by its status. Respond to an unknown event with a 2xx status, and store its certificate.

**Errors.** All errors have the same JSON format. The checks run in this order: 401, 403, 429, 400, and 404 for an id.

${errorTable()}`;

const links: JsonObject = {
  nextPage: {
    operationId: "listCertificates",
    description:
      "The next page, if `next_cursor` is not null. Send either no filters, because the cursor contains them, or the same filters as for the first page.",
    parameters: { cursor: "$response.body#/next_cursor" },
  },
  certificate: {
    operationId: "getCertificate",
    description: "The first certificate of the page alone.",
    parameters: { id: "$response.body#/certificates/0/id" },
  },
};

interface ReadOperation {
  /** The operation of GET, without its responses. */
  readonly get: JsonObject;
  /** What differs for HEAD. */
  readonly head: JsonObject;
  /** The response with status 200, without its body. */
  readonly found: JsonObject;
  /** What GET's response with status 200 has in addition. */
  readonly body: JsonObject;
  /** Other responses than errors. Default: none. */
  readonly further?: JsonObject;
  readonly errors: readonly number[];
}

function getAndHead({ get, head, found, body, further, errors }: ReadOperation) {
  return {
    get: { ...get, responses: { "200": { ...found, ...body }, ...further, ...errorResponses(errors, "get") } },
    head: { ...get, ...head, responses: { "200": found, ...further, ...errorResponses(errors, "head") } },
  };
}

const sameHeaders = "Returns the same headers as GET, without a body.";
const listHeaders = responseHeaders(["RateLimit-Policy", "RateLimit", "X-Feed-Epoch"]);

const listOperations = getAndHead({
  get: {
    operationId: "listCertificates",
    summary: "List certificates",
    description:
      "Returns certificates ordered by the time of their last change, oldest first. All parameters are optional and can be combined.",
    tags: ["Certificates"],
    parameters: Object.keys(listParameters).map((name) => reference("parameters", name)),
  },
  head: { operationId: "headCertificates", summary: "Get the headers of the list", description: sameHeaders },
  found: { description: "One page of certificates.", headers: listHeaders },
  body: { content: jsonContent(reference("schemas", "CertificatePage")), links },
  errors: [...httpErrors, 401, 403, 429, 500, 503],
});

const idParameter: JsonObject = {
  name: "id",
  in: "path",
  required: true,
  description: "The certificate's id, which needs no percent-encoding.",
  schema: { type: "string", minLength: 1 },
};

const certificateOperations = getAndHead({
  get: {
    operationId: "getCertificate",
    summary: "Get one certificate",
    description:
      "Returns the certificate with this id, such as one from a webhook message, as the list shows it. Ids of other stores' certificates and of samples get 404. To keep a copy, read the list instead: it returns 100 certificates per request.",
    tags: ["Certificates"],
    parameters: [reference("parameters", "id")],
  },
  head: { operationId: "headCertificate", summary: "Get the headers of one certificate", description: sameHeaders },
  found: { description: "The certificate.", headers: listHeaders },
  body: { content: jsonContent(reference("schemas", "Certificate")) },
  errors: [...httpErrors, 401, 403, 404, 429, 500, 503],
});

const documentHeaders = {
  ...responseHeaders(["ETag", "Vary"]),
  "Cache-Control": reference("headers", "CacheControlShort"),
};

const documentOperations = getAndHead({
  get: {
    operationId: "getDescription",
    summary: "Get this document",
    description:
      "Requires no API key and does not count towards the rate limit. The same document is displayed at /docs/api.",
    tags: ["Description"],
    security: [],
  },
  head: { operationId: "headDescription", summary: "Get the headers of this document" },
  found: { description: "An OpenAPI 3.1 document.", headers: documentHeaders },
  body: { content: jsonContent({ type: "object", required: ["openapi", "info", "paths"] }) },
  further: {
    "304": {
      description: "The document has not changed since the version in `If-None-Match`.",
      headers: documentHeaders,
    },
  },
  errors: httpErrors,
});

/** The OpenAPI 3.1 document of the public API, built where possible from the constants that the edge enforces. */
export const openApiDocument: JsonObject = {
  openapi: "3.1.1",
  info: {
    title: "Certificate registry API",
    version: "1.0.0",
    summary: "Certificates of authenticity for products sold through a storefront platform.",
    description: introduction,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/", description: "The server that serves this document." }],
  security: [{ apiKey: [] }],
  tags: [
    { name: "Certificates", description: "The certificates of a store." },
    { name: "Development", description: "Webhook messages on a developer's computer." },
    { name: "Description", description: "This document." },
  ],
  paths: {
    "/v1/certificates": listOperations,
    "/v1/certificates/{id}": certificateOperations,
    "/v1/listen": listenOperations,
    [openApiPath]: documentOperations,
  },
  webhooks,
  components: {
    securitySchemes: {
      apiKey: {
        type: "http",
        scheme: "bearer",
        description: "An API key from the store's settings. The store must be on the Pro plan.",
      },
      listenToken: {
        type: "http",
        scheme: "bearer",
        description: "A listen token from the store's settings, which is valid for a day.",
      },
    },
    schemas: { ...certificateSchemas, ...messageSchemas, ...listenSchemas, Error: errorSchema },
    parameters: { ...listParameters, id: idParameter, ...messageHeaders },
    headers: headerComponents,
    responses: errorComponents,
  },
};

/** Builds the route of the OpenAPI document, which needs no key; it responds with 304 to the current version's ETag. */
export function documentRoute(): Route {
  const document = textRendition(jsonType, Buffer.from(JSON.stringify(openApiDocument)));
  return { path: openApiPath, get: [sendFixed(document, { "Cache-Control": shortCaching })] };
}
