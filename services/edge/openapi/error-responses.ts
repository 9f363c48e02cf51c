import { type ErrorCode, errorCodes } from "#shared/errors/error-codes.ts";
import { type OptionalHeader, responseHeaders } from "./response-headers.ts";
import { closedObject, type JsonObject, reference, text } from "./schema.ts";

interface ApiError {
  readonly status: number;
  readonly code: ErrorCode;
  /** The condition, as a sentence. */
  readonly when: string;
  /** The action for the client, as a sentence. */
  readonly remedy: string;
  readonly headers?: readonly OptionalHeader[];
}

const apiError = (code: ErrorCode, rest: Omit<ApiError, "status" | "code">): ApiError => ({
  status: errorCodes[code].http,
  code,
  ...rest,
});

/** Every error response of the public API (INTERFACE.md §7), ordered by status. */
export const apiErrors: readonly ApiError[] = [
  apiError("bad_request", {
    when: "A parameter is invalid (`message` names it), or the request is not valid HTTP.",
    remedy: "Correct the request.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  apiError("unauthorized", {
    when: "The API key is missing, invalid or revoked.",
    remedy: "Check the `Authorization` header or create a new key.",
    headers: ["WWW-Authenticate"],
  }),
  apiError("plan_required", {
    when: "The store is not on the Pro plan.",
    remedy: "Upgrade the plan; the existing key then works again immediately.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  apiError("not_found", { when: "No resource exists at this path.", remedy: "Correct the path." }),
  apiError("method_not_allowed", {
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
  apiError("rate_limited", {
    when: "The store exceeded its rate limit, or you sent too many requests that get 401 or 403.",
    remedy: "Wait for the seconds in `Retry-After`, then retry. Cache results.",
    headers: ["Retry-After", "RateLimit-Policy", "RateLimit"],
  }),
  {
    status: 431,
    code: "bad_request",
    when: "The request headers exceed 16 KiB in total.",
    remedy: "Send fewer or shorter headers.",
  },
  apiError("internal", {
    when: "An internal error occurred.",
    remedy: "Try again later. If the problem persists, contact support and quote the `X-Request-Id`.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  apiError("unavailable", {
    when: "The service is temporarily unavailable.",
    remedy: "Wait for the seconds in `Retry-After`, then retry.",
    headers: ["Retry-After"],
  }),
];

/** Returns the OpenAPI `content` of a JSON body with this schema. */
export function jsonContent(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

const componentName = ({ status }: ApiError) => `Error${status}`;

function component({ code, when, remedy, headers }: ApiError): JsonObject {
  const error = { properties: { error: { const: code } } };
  return {
    description: `\`${code}\`: ${when} ${remedy}`,
    headers: responseHeaders(headers),
    content: jsonContent({ allOf: [reference("schemas", "Error"), error] }),
  };
}

/** The document's `components.responses`. */
export const errorComponents: JsonObject = Object.fromEntries(
  apiErrors.map((error) => [componentName(error), component(error)]),
);

/** Returns the error responses of an operation by status; the responses to HEAD have no body. */
export function errorResponses(statuses: readonly number[], method: "get" | "head"): JsonObject {
  const known = apiErrors.filter(({ status }) => statuses.includes(status));
  return Object.fromEntries(
    known.map((error) => {
      const { content: _content, ...bodiless } = component(error);
      return [error.status, method === "get" ? reference("responses", componentName(error)) : bodiless];
    }),
  );
}

/** The body of an error response (INTERFACE.md §7). */
export const errorSchema = closedObject("An error.", {
  error: text("A stable, machine-readable error code.", "bad_request", {
    enum: [...new Set(apiErrors.map(({ code }) => code))],
  }),
  message: text(
    "An explanation for people: the problem, with the parameter at fault, and what to do. Its wording may change.",
    "limit is not a valid page size. Send a whole number from 1 to 100.",
    { minLength: 1 },
  ),
});

/** Returns {@link apiErrors} as a Markdown table. */
export function errorTable(): string {
  const rows = apiErrors.map((error) => `| ${error.status} | \`${error.code}\` | ${error.when} | ${error.remedy} |`);
  return ["| Status | `error` | Condition | Remedy |", "|---|---|---|---|", ...rows].join("\n");
}
