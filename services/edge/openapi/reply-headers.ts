import { defaultHeaders } from "../http/default-headers.ts";
import { type JsonObject, reference } from "./json.ts";
import { shortCaching, variesBy } from "./static-file.ts";

const fixed = (value: string, description: string): JsonObject => ({
  description,
  required: true,
  schema: { type: "string", const: value },
});

const everyReply = {
  "X-Request-Id": {
    description: "Names this request in the service's logs: tell it when you ask for help.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  "Cache-Control": fixed(defaultHeaders["Cache-Control"], "No cache may keep the reply."),
  "Content-Security-Policy": fixed(
    defaultHeaders["Content-Security-Policy"],
    "A browser must not show, frame or run the reply.",
  ),
  "Cross-Origin-Resource-Policy": fixed(
    defaultHeaders["Cross-Origin-Resource-Policy"],
    "No page of another origin may embed the reply.",
  ),
  "Referrer-Policy": fixed(defaultHeaders["Referrer-Policy"], "Links send no address along."),
  "X-Content-Type-Options": fixed(
    defaultHeaders["X-Content-Type-Options"],
    "The content type is to be believed.",
  ),
} satisfies Readonly<Record<"X-Request-Id" | keyof typeof defaultHeaders, JsonObject>>;

const seconds: JsonObject = { type: "integer", minimum: 1 };

const some = {
  "WWW-Authenticate": fixed("Bearer", "The scheme to authenticate with."),
  "Retry-After": { description: "Seconds to wait before asking again.", required: true, schema: seconds },
  "RateLimit-Policy": {
    description: "The limit: `q` requests in any `w` seconds, for all keys of a store together.",
    schema: { type: "string", pattern: '^"default";q=[0-9]+;w=[0-9]+$' },
    example: '"default";q=120;w=60',
  },
  RateLimit: {
    description:
      "What is left of it: `r` requests; in `t` seconds another place is free, 0 while nothing is used up.",
    schema: { type: "string", pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=119;t=60',
  },
  Allow: fixed("GET, HEAD", "The methods that the path knows."),
  CacheControlShort: fixed(shortCaching, "Caches may keep the reply for a while."),
  Vary: fixed(variesBy, "Compressed for those who take it so."),
  ETag: {
    description: "Changes with the document: send it as `If-None-Match`.",
    required: true,
    schema: { type: "string", pattern: '^"[^"]+"$' },
  },
} as const satisfies JsonObject;

/** Headers that only some replies carry. */
export type SomeHeader = keyof typeof some;

/** Every header that a reply can carry, beside those of HTTP itself (Date, Content-Length, Connection and the like). */
export const headerComponents: JsonObject = { ...everyReply, ...some };

/** The headers of a reply: those of every reply, and these. */
export function replyHeaders(names: readonly SomeHeader[] = []): JsonObject {
  return Object.fromEntries(
    [...Object.keys(everyReply), ...names].map((name) => [name, reference("headers", name)]),
  );
}
