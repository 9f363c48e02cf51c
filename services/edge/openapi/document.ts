import { queryBytesMax } from "../http/query-errors.ts";
import { certificateSchemas } from "./certificate-schemas.ts";
import { errorComponents, errorResponses, errorSchema, errorTable, jsonContent } from "./error-replies.ts";
import { type JsonObject, reference } from "./json.ts";
import { listParameters } from "./list-parameters.ts";
import { headerComponents, replyHeaders } from "./reply-headers.ts";
import { messageHeaders, messageSchemas, webhooks } from "./webhook-messages.ts";

const about = `Read the certificates of a store, and stay current.

**Paging.** Ask with \`limit=100\`; while \`next_cursor\` is not null, ask again with \`cursor\` set to it. Keep the newest \`updatedAt\`
seen; later ask with \`updated_since\` set to it. Within a store, \`updatedAt\` is unique and becomes visible in increasing order, so nothing is ever missed.

**Strictness.** A parameter that is unknown, repeated, empty or not valid is refused with 400: a misspelt filter never returns data.
Names and words are case-sensitive, a \`+\` in the query is a plus sign, and the query has at most ${queryBytesMax} bytes.

**Errors** have one shape, whatever caused them. Refusals are decided in this order: 401, 403, 429, 400; a 401 or 403 uses nothing of the limit up.

${errorTable()}`;

// Whatever is asked for.
const fromHttp = [400, 408, 417, 431];

const links: JsonObject = {
  nextPage: {
    operationId: "listCertificates",
    description: "The next page, while `next_cursor` is not null: the same filters, and it as `cursor`.",
    parameters: { cursor: "$response.body#/next_cursor" },
  },
};

function listOperation(method: "get" | "head"): JsonObject {
  const isGet = method === "get";
  return {
    operationId: isGet ? "listCertificates" : "headCertificates",
    summary: isGet ? "List certificates" : "The list's headers alone",
    description: isGet
      ? "Certificates ordered by the time each last changed, oldest first. All parameters are optional and can be combined."
      : "Answers as GET does, without the body.",
    tags: ["Certificates"],
    parameters: Object.keys(listParameters).map((name) => reference("parameters", name)),
    responses: {
      "200": {
        description: "One page.",
        headers: replyHeaders(["RateLimit-Policy", "RateLimit"]),
        ...(isGet ? { content: jsonContent(reference("schemas", "CertificatePage")), links } : {}),
      },
      ...errorResponses([...fromHttp, 401, 403, 429, 500, 503], method),
    },
  };
}

const documentHeaders = {
  ...replyHeaders(["ETag", "Vary"]),
  "Cache-Control": reference("headers", "CacheControlShort"),
};

function documentOperation(method: "get" | "head"): JsonObject {
  const isGet = method === "get";
  return {
    operationId: isGet ? "getDescription" : "headDescription",
    summary: isGet ? "This document" : "This document's headers alone",
    description: "Needs no key and uses nothing of the limit up. For people, the same is at /docs.",
    tags: ["Description"],
    security: [],
    responses: {
      "200": {
        description: "OpenAPI 3.1.",
        headers: documentHeaders,
        ...(isGet
          ? { content: jsonContent({ type: "object", required: ["openapi", "info", "paths"] }) }
          : {}),
      },
      "304": {
        description: "The document is still the one that `If-None-Match` names.",
        headers: documentHeaders,
      },
      ...errorResponses(fromHttp, method),
    },
  };
}

/** The description of the public API, OpenAPI 3.1: made of the tables that the code itself works with. */
export const openApiDocument: JsonObject = {
  openapi: "3.1.1",
  info: {
    title: "Certificate registry",
    version: "1.0.0",
    summary: "Certificates of authenticity for products sold through storefronts.",
    description: about,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/", description: "The service that gave this document." }],
  security: [{ apiKey: [] }],
  tags: [
    { name: "Certificates", description: "What a store has issued." },
    { name: "Description", description: "This document." },
  ],
  paths: {
    "/v1/certificates": { get: listOperation("get"), head: listOperation("head") },
    "/v1/openapi.json": { get: documentOperation("get"), head: documentOperation("head") },
  },
  webhooks,
  components: {
    securitySchemes: {
      apiKey: {
        type: "http",
        scheme: "bearer",
        description: "A key from the store's settings. The store must be on the Pro plan.",
      },
    },
    schemas: { ...certificateSchemas, ...messageSchemas, Error: errorSchema },
    parameters: { ...listParameters, ...messageHeaders },
    headers: headerComponents,
    responses: errorComponents,
  },
};
