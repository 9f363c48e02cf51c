import { certificateSchemas } from "./certificate-schemas.ts";
import { errorComponents, errorResponses, errorSchema, jsonContent } from "./error-responses.ts";
import { introduction } from "./introduction.ts";
import { listParameters } from "./list-parameters.ts";
import { listenOperations, listenSchemas } from "./listen-operations.ts";
import { headerComponents, responseHeaders } from "./response-headers.ts";
import { type JsonObject, reference } from "./schema.ts";
import { messageHeaders, messageSchemas, webhooks } from "./webhook-messages.ts";

// Errors that a request to any path can cause.
const httpErrors = [400, 408, 417, 431];

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

function listOperation(method: "get" | "head"): JsonObject {
  const isGet = method === "get";
  return {
    operationId: isGet ? "listCertificates" : "headCertificates",
    summary: isGet ? "List certificates" : "Get the headers of the list",
    description: isGet
      ? "Returns certificates ordered by the time of their last change, oldest first. All parameters are optional and can be combined."
      : "Returns the same headers as GET, without a body.",
    tags: ["Certificates"],
    parameters: Object.keys(listParameters).map((name) => reference("parameters", name)),
    responses: {
      "200": {
        description: "One page of certificates.",
        headers: responseHeaders(["RateLimit-Policy", "RateLimit", "X-Feed-Epoch"]),
        ...(isGet ? { content: jsonContent(reference("schemas", "CertificatePage")), links } : {}),
      },
      ...errorResponses([...httpErrors, 401, 403, 429, 500, 503], method),
    },
  };
}

const idParameter: JsonObject = {
  name: "id",
  in: "path",
  required: true,
  description: "The certificate's id, which needs no percent-encoding.",
  schema: { type: "string", minLength: 1 },
};

function certificateOperation(method: "get" | "head"): JsonObject {
  const isGet = method === "get";
  return {
    operationId: isGet ? "getCertificate" : "headCertificate",
    summary: isGet ? "Get one certificate" : "Get the headers of one certificate",
    description: isGet
      ? "Returns the certificate with this id, such as one from a webhook message, as the list shows it. Ids of other stores' certificates and of samples get 404. To keep a copy, read the list instead: it returns 100 certificates per request."
      : "Returns the same headers as GET, without a body.",
    tags: ["Certificates"],
    parameters: [reference("parameters", "id")],
    responses: {
      "200": {
        description: "The certificate.",
        headers: responseHeaders(["RateLimit-Policy", "RateLimit", "X-Feed-Epoch"]),
        ...(isGet ? { content: jsonContent(reference("schemas", "Certificate")) } : {}),
      },
      ...errorResponses([...httpErrors, 401, 403, 404, 429, 500, 503], method),
    },
  };
}

const documentHeaders = {
  ...responseHeaders(["ETag", "Vary"]),
  "Cache-Control": reference("headers", "CacheControlShort"),
};

function documentOperation(method: "get" | "head"): JsonObject {
  const isGet = method === "get";
  return {
    operationId: isGet ? "getDescription" : "headDescription",
    summary: isGet ? "Get this document" : "Get the headers of this document",
    description:
      "Requires no API key and does not count towards the rate limit. The same document is displayed at /docs/api.",
    tags: ["Description"],
    security: [],
    responses: {
      "200": {
        description: "An OpenAPI 3.1 document.",
        headers: documentHeaders,
        ...(isGet ? { content: jsonContent({ type: "object", required: ["openapi", "info", "paths"] }) } : {}),
      },
      "304": {
        description: "The document has not changed since the version in `If-None-Match`.",
        headers: documentHeaders,
      },
      ...errorResponses(httpErrors, method),
    },
  };
}

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
    "/v1/certificates": { get: listOperation("get"), head: listOperation("head") },
    "/v1/certificates/{id}": { get: certificateOperation("get"), head: certificateOperation("head") },
    "/v1/listen": listenOperations,
    "/v1/openapi.json": { get: documentOperation("get"), head: documentOperation("head") },
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
