import { type ErrorCode, errorCodes } from "#shared/errors/error-codes.ts";
import { type JsonObject, reference } from "./json.ts";
import { type OptionalHeader, replyHeaders } from "./reply-headers.ts";
import { closedObject, text } from "./schema.ts";

/** An error response of the public API. */
export interface ErrorReply {
  readonly status: number;
  readonly code: ErrorCode;
  /** The condition; a sentence. */
  readonly when: string;
  /** What the client should do; a sentence. */
  readonly remedy: string;
  /** Headers in addition to those of every response. */
  readonly headers?: readonly OptionalHeader[];
}

const errorReply = (code: ErrorCode, rest: Omit<ErrorReply, "status" | "code">): ErrorReply => ({
  status: errorCodes[code].http,
  code,
  ...rest,
});

/** Every error response of the public API (INTERFACE.md §7), ordered by status. */
export const errorReplies = [
  errorReply("bad_request", {
    when: "A parameter is invalid (`message` names it), or the request is not valid HTTP.",
    remedy: "Correct the request.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  errorReply("unauthorized", {
    when: "The API key is missing, invalid or revoked.",
    remedy: "Check the `Authorization` header or create a new key.",
    headers: ["WWW-Authenticate"],
  }),
  errorReply("plan_required", {
    when: "The store is not on the Pro plan.",
    remedy: "Upgrade the plan; the existing key then works again immediately.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  errorReply("not_found", { when: "No resource exists at this path.", remedy: "Correct the path." }),
  errorReply("method_not_allowed", {
    when: "The path does not support this method.",
    remedy: "Use a method listed in `Allow`.",
    headers: ["Allow"],
  }),
  {
    status: 408,
    code: "bad_request",
    when: "The request did not arrive in time.",
    remedy: "Send the request again.",
  },
  {
    status: 417,
    code: "bad_request",
    when: "The `Expect` header has a value other than `100-continue`.",
    remedy: "Omit the header.",
  },
  errorReply("rate_limited", {
    when: "The store exceeded its rate limit, or your address sent too many invalid keys.",
    remedy: "Wait for the seconds in `Retry-After`, then retry. Cache results.",
    headers: ["Retry-After", "RateLimit-Policy", "RateLimit"],
  }),
  {
    status: 431,
    code: "bad_request",
    when: "The request headers exceed 16 KiB in total.",
    remedy: "Send fewer or shorter headers.",
  },
  errorReply("internal", {
    when: "An internal error occurred.",
    remedy: "Try again later. If the problem persists, contact support and quote the `X-Request-Id`.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  errorReply("unavailable", {
    when: "The service is temporarily unavailable.",
    remedy: "Wait for the seconds in `Retry-After`, then retry.",
    headers: ["Retry-After", "RateLimit-Policy", "RateLimit"],
  }),
] as const satisfies readonly ErrorReply[];

/** The `content` of a JSON body. */
export function jsonContent(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

const componentName = ({ status }: ErrorReply) => `Error${status}`;

function component({ code, when, remedy, headers }: ErrorReply): JsonObject {
  const error = { properties: { error: { const: code } } };
  return {
    description: `\`${code}\`: ${when} ${remedy}`,
    headers: replyHeaders(headers),
    content: jsonContent({ allOf: [reference("schemas", "Error"), error] }),
  };
}

/** The document's `components.responses`. */
export const errorComponents: JsonObject = Object.fromEntries(
  errorReplies.map((reply) => [componentName(reply), component(reply)]),
);

/** The error responses of an operation, by status; for HEAD without a body. */
export function errorResponses(statuses: readonly number[], method: "get" | "head"): JsonObject {
  const known: readonly ErrorReply[] = errorReplies;
  return Object.fromEntries(
    known
      .filter(({ status }) => statuses.includes(status))
      .map((reply) => {
        const { content: _content, ...bodiless } = component(reply);
        const name = componentName(reply);
        return [String(reply.status), method === "get" ? reference("responses", name) : bodiless];
      }),
  );
}

/** The body of an error response (INTERFACE.md §7). */
export const errorSchema = closedObject("An error.", {
  error: text("A stable code for programs.", "bad_request", {
    enum: [...new Set(errorReplies.map(({ code }) => code))],
  }),
  message: text(
    "An explanation for people: the problem, with the parameter at fault, and what to do. Its wording may change.",
    "limit is not a valid page size. Send a whole number from 1 to 100.",
    { minLength: 1 },
  ),
});

/** All errors as a Markdown table. */
export function errorTable(): string {
  const rows = errorReplies.map(
    ({ status, code, when, remedy }) => `| ${status} | \`${code}\` | ${when} | ${remedy} |`,
  );
  return ["| Status | `error` | Condition | Remedy |", "|---|---|---|---|", ...rows].join("\n");
}
