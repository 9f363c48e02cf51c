import { certificateSchemas } from "./certificate-schemas.ts";
import { errorComponents, errorResponses, errorSchema, httpErrors, jsonContent } from "./error-responses.ts";
import { introduction } from "./introduction.ts";
import { listParameters } from "./list-parameters.ts";
import { listenOperations, listenSchemas } from "./listen-operations.ts";
import { headerComponents, responseHeaders } from "./response-headers.ts";
import { type JsonObject, reference } from "./schema.ts";
import { messageHeaders, messageSchemas, webhooks } from "./webhook-messages.ts";

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
    "/v1/openapi.json": documentOperations,
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
