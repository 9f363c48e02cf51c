import { defaultHeaders } from "../http/default-headers.ts";
import { shortCaching, variesBy } from "../http/rendition.ts";
import { type JsonObject, reference } from "./schema.ts";

const constant = (value: string, description: string): JsonObject => ({
  description,
  required: true,
  schema: { type: "string", const: value },
});

const values: Readonly<Record<string, string>> = defaultHeaders;
const descriptions = {
  "Cache-Control": "Caches must not store the response.",
  "Content-Security-Policy": "Browsers must not load any resources for the response, or display it in a frame.",
  "Cross-Origin-Resource-Policy": "Pages from other origins must not embed the response.",
  "Referrer-Policy": "Browsers must not send a Referer header with requests that the response causes.",
  "X-Content-Type-Options": "Browsers must not guess a content type other than the declared one.",
} satisfies Record<keyof typeof defaultHeaders, string>;

const commonHeaders: JsonObject = {
  "X-Request-Id": {
    description: "Identifies the request in the service's logs. Quote it when you contact support.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  ...Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, constant(values[name] ?? "", description)]),
  ),
};

const optionalHeaders = {
  "WWW-Authenticate": constant("Bearer", "The authentication scheme."),
  "Retry-After": {
    description: "The number of seconds to wait before you retry.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  "RateLimit-Policy": {
    description: "The rate limit: at most `q` requests in any `w` seconds, shared by all keys of the store.",
    schema: { type: "string", pattern: '^"default";q=[0-9]+;w=[0-9]+$' },
    example: '"default";q=120;w=60',
  },
  RateLimit: {
    description:
      "The state of the rate limit: `r` requests remain, and one more becomes available in `t` seconds, when the oldest counted request leaves the window (`t` is 0 if the window contains no counted request).",
    schema: { type: "string", pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=119;t=60',
  },
  "X-Feed-Epoch": {
    description:
      "Identifies the feed. A new value means that the service's data were restored from a backup, or that the key is another store's: discard your copy, and read the list again without `cursor` and `updated_since`.",
    required: true,
    schema: { type: "string", pattern: "^[0-9a-z]+$" },
    example: "3k7m9q2w4xyz",
  },
  Allow: {
    description: "The methods that the path supports.",
    required: true,
    schema: { type: "string", pattern: "^GET, HEAD(, POST)?$" },
    example: "GET, HEAD",
  },
  CacheControlShort: constant(shortCaching, "Caches may store the response for five minutes."),
  Vary: constant(variesBy, "The encoding of the response depends on `Accept-Encoding`."),
  ETag: {
    description:
      "Identifies this version of the document. Send it in `If-None-Match` to find out whether the document has changed.",
    required: true,
    schema: { type: "string", pattern: '^"[^"]+"$' },
  },
} as const satisfies JsonObject;

/** The component name of a header that only some responses have. */
export type OptionalHeader = keyof typeof optionalHeaders;

/** The document's `components.headers`; omits general HTTP headers such as Date and Content-Length. */
export const headerComponents: JsonObject = { ...commonHeaders, ...optionalHeaders };

/** Returns the headers of a response: the headers of every response and the named optional headers. */
export function responseHeaders(names: readonly OptionalHeader[] = []): JsonObject {
  return Object.fromEntries(
    [...Object.keys(commonHeaders), ...names].map((name) => [name, reference("headers", name)]),
  );
}
