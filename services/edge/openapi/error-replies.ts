import { type ErrorCode, errorCodes } from "#shared/errors/error-codes.ts";
import { type JsonObject, reference } from "./json.ts";
import { replyHeaders, type SomeHeader } from "./reply-headers.ts";

/** One kind of error reply. */
export interface ErrorReply {
  readonly status: number;
  readonly code: ErrorCode;
  /** When it comes, a sentence. */
  readonly when: string;
  /** What to do about it, a sentence. */
  readonly remedy: string;
  /** Headers beside those of every reply. */
  readonly headers?: readonly SomeHeader[];
}

const of = (code: ErrorCode, text: Omit<ErrorReply, "status" | "code">): ErrorReply => ({
  status: errorCodes[code].http,
  code,
  ...text,
});

/** Every error reply of the public API (INTERFACE.md §7 and where it is silent). */
export const errorReplies = [
  of("bad_request", {
    when: "A parameter is not valid, or the request is not valid HTTP; `message` names the parameter.",
    remedy: "Correct the parameter.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  of("unauthorized", {
    when: "The key is missing or no longer valid.",
    remedy: "Check the header or create a new key.",
    headers: ["WWW-Authenticate"],
  }),
  of("plan_required", {
    when: "The store is not on the Pro plan.",
    remedy: "Upgrade the plan; the existing key works again at once.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  of("not_found", { when: "There is nothing at this path.", remedy: "Correct the path." }),
  of("method_not_allowed", {
    when: "The path does not know this method.",
    remedy: "Use one of the methods in `Allow`.",
    headers: ["Allow"],
  }),
  {
    status: 408,
    code: "bad_request",
    when: "The request did not arrive in time.",
    remedy: "Send it again.",
  },
  {
    status: 417,
    code: "bad_request",
    when: "`Expect` is something else than `100-continue`.",
    remedy: "Leave the header out.",
  },
  of("rate_limited", {
    when:
      "More requests than the limit allows; refused ones use nothing up. Also too many unknown keys from one address: then " +
      "without `RateLimit`.",
    remedy: "Wait as long as `Retry-After` says; keep results.",
    headers: ["Retry-After", "RateLimit-Policy", "RateLimit"],
  }),
  {
    status: 431,
    code: "bad_request",
    when: "The headers are larger than 16 KiB together.",
    remedy: "Send fewer or shorter headers.",
  },
  of("internal", {
    when: "Something went wrong in the service.",
    remedy: "Try again later; if it stays so, tell the `X-Request-Id`.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  of("unavailable", {
    when: "A part of the service cannot be reached.",
    remedy: "Wait as long as `Retry-After` says and ask again.",
    headers: ["Retry-After", "RateLimit-Policy", "RateLimit"],
  }),
] as const satisfies readonly ErrorReply[];

const jsonMediaType = "application/json";

/** A reply's body. */
export function jsonContent(schema: JsonObject): JsonObject {
  return { [jsonMediaType]: { schema } };
}

const componentName = ({ status }: ErrorReply) => `Error${status}`;

function component(reply: ErrorReply): JsonObject {
  const { code, when, remedy, headers } = reply;
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

/** References to the error replies that an operation can give, by status. HEAD's have no body. */
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

/** The body of an error (INTERFACE.md §7). */
export const errorSchema: JsonObject = {
  type: "object",
  description: "What went wrong: a code for programs, a sentence for people.",
  properties: {
    error: { type: "string", enum: [...new Set(errorReplies.map(({ code }) => code))] },
    message: { type: "string", minLength: 1, description: "A sentence; names the parameter at fault." },
  },
  required: ["error", "message"],
  additionalProperties: false,
};

/** The errors as a Markdown table, for readers. */
export function errorTable(): string {
  const rows = errorReplies.map(
    ({ status, code, when, remedy }) => `| ${status} | \`${code}\` | ${when} | ${remedy} |`,
  );
  return ["| status | error | when | remedy |", "|---|---|---|---|", ...rows].join("\n");
}
