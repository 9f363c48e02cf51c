import { type ErrorCode, errorCodes } from "#shared/errors/error-codes.ts";
import { type OptionalHeader, responseHeaders } from "./response-headers.ts";
import { type JsonObject, objectSchema, reference, text } from "./schema.ts";

interface ApiError {
  readonly status: number;
  readonly code: ErrorCode;
  /** The condition that causes the error, as a sentence. */
  readonly when: string;
  /** What the client should do, in one or two sentences. */
  readonly remedy: string;
  /** The message of a real response, as an example. */
  readonly message: string;
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
    message: "limit is not a valid page size. Send a whole number from 1 to 100, without leading zeros.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  apiError("unauthorized", {
    when: "The API key or the listen token is missing, invalid, expired or revoked.",
    remedy: "Check the `Authorization` header, or create a new key or token.",
    message: "The request has no API key. Send 'Authorization: Bearer <key>' with a key from the store's settings.",
    headers: ["WWW-Authenticate"],
  }),
  apiError("plan_required", {
    when: "The store is not on the Pro plan.",
    remedy: "Upgrade the plan; the existing key then works immediately.",
    message: "The API requires the Pro plan. Upgrade the store's plan; your existing key then works immediately.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  apiError("not_found", {
    when: "No resource exists at this path, or the store has no certificate with this id.",
    remedy: "Correct the path or the id.",
    message: "The store has no certificate with this id. Send an id that the list or a webhook message contains.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  apiError("method_not_allowed", {
    when: "The path does not support this method.",
    remedy: "Use a method listed in `Allow`.",
    message: "This path does not support DELETE. Use GET or HEAD.",
    headers: ["Allow"],
  }),
  {
    status: 408,
    code: "bad_request",
    when: "The request did not arrive in time.",
    remedy: "Send the request again.",
    message: "The request did not arrive in time. Send it again.",
  },
  {
    status: 417,
    code: "bad_request",
    when: "The `Expect` header has a value other than `100-continue`.",
    remedy: "Omit the header.",
    message: "The Expect header has a value other than 100-continue. Omit the header.",
  },
  apiError("rate_limited", {
    when: "The store exceeded its rate limit, or you sent too many requests that were refused with 401 or 403.",
    remedy: "Wait for the number of seconds in `Retry-After`, then retry. Cache results.",
    message:
      "You have exceeded the limit of 120 requests per 60 seconds. Wait for the number of seconds in Retry-After, then retry; cache results to send fewer requests.",
    headers: ["Retry-After", "RateLimit-Policy", "RateLimit"],
  }),
  {
    status: 431,
    code: "bad_request",
    when: "The request line and the headers exceed 16 KiB in total.",
    remedy: "Send fewer or shorter headers.",
    message: "The request line and the headers exceed 16 KiB in total. Send fewer or shorter headers.",
  },
  apiError("internal", {
    when: "An internal error occurred.",
    remedy: "Try again later. If the problem persists, contact support and quote the `X-Request-Id`.",
    message:
      "An internal error occurred. Try again later. If the problem persists, contact support and quote the X-Request-Id of the response.",
    headers: ["RateLimit-Policy", "RateLimit"],
  }),
  apiError("unavailable", {
    when: "The service is temporarily unavailable.",
    remedy: "Wait for the number of seconds in `Retry-After`, then retry.",
    message: "The service is temporarily unavailable. Try again shortly.",
    headers: ["Retry-After"],
  }),
];

/** Returns the OpenAPI `content` of a JSON body with this schema. `examples` contains Example Objects by name. */
export function jsonContent(schema: JsonObject, examples?: JsonObject): JsonObject {
  return { "application/json": { schema, ...(examples && { examples }) } };
}

const componentName = ({ status }: ApiError) => `Error${status}`;

function component({ code, when, remedy, message, headers }: ApiError): JsonObject {
  const example = { [code]: { summary: when, value: { error: code, message } } };
  return {
    description: `\`${code}\`: ${when} ${remedy}`,
    headers: responseHeaders(headers),
    // Without a `const` for the code: generators of clients cannot merge it with the schema and omit the response.
    content: jsonContent(reference("schemas", "Error"), example),
  };
}

/** The document's `components.responses`. */
export const errorComponents: JsonObject = Object.fromEntries(
  apiErrors.map((error) => [componentName(error), component(error)]),
);

/** Statuses of the errors that a request to any path can cause. */
export const httpErrors: readonly number[] = [400, 408, 417, 431];

/** Returns the error responses of an operation by status; the responses to HEAD have no body. */
export function errorResponses(statuses: readonly number[], method: "get" | "head" | "post"): JsonObject {
  const known = apiErrors.filter(({ status }) => statuses.includes(status));
  return Object.fromEntries(
    known.map((error) => {
      const { content: _content, ...bodiless } = component(error);
      return [error.status, method !== "head" ? reference("responses", componentName(error)) : bodiless];
    }),
  );
}

const errorCodeList = [...new Set(apiErrors.map(({ code }) => `\`${code}\``))].join(", ");

/** The schema of the body of an error response (INTERFACE.md §7). */
export const errorSchema = objectSchema("An error.", {
  // Not an enum: later releases may add codes.
  error: text(`A machine-readable error code: ${errorCodeList}.`, "bad_request", { pattern: "^[a-z_]+$" }),
  message: text(
    "A human-readable explanation: the problem, any parameter at fault, and what to do. The wording may change.",
    "limit is not a valid page size. Send a whole number from 1 to 100, without leading zeros.",
    { minLength: 1 },
  ),
});

export function errorTable(): string {
  const rows = apiErrors.map((error) => `| ${error.status} | \`${error.code}\` | ${error.when} | ${error.remedy} |`);
  return ["| Status | `error` | Condition | Remedy |", "|---|---|---|---|", ...rows].join("\n");
}
