import { emailCharactersMax } from "#shared/email/email-address.ts";
import type { ParameterName } from "../certificates/list-query.ts";
import { pageSize, statusNames, valuePatterns } from "../certificates/query-values.ts";
import type { JsonObject } from "./schema.ts";

// Not `format: date-time`: it requires seconds and a colon in the offset, and validators disagree about its details.
const years = {
  any: "([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})",
  leap: "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)",
};
const days = [
  "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
  "(0[469]|11)-(0[1-9]|[12][0-9]|30)",
  "02-(0[1-9]|1[0-9]|2[0-8])",
];
const date = `(${years.any}-(${days.join("|")})|${years.leap}-02-29)`;
const clockTime = (separator: string) => `([01][0-9]|2[0-3])${separator}[0-5][0-9]`;
const seconds = "(:[0-5][0-9](\\.[0-9]+)?)?";
const requestTimePattern = `^${date}[Tt]${clockTime(":")}${seconds}([Zz]|[+-]${clockTime(":?")})$`;

interface ListParameter {
  readonly description: string;
  /** Contains the examples, because the viewer would prefill requests with examples set on the parameter itself. */
  readonly schema: JsonObject;
}

const parameters: Readonly<Record<ParameterName, ListParameter>> = {
  email: {
    description:
      "Only certificates that are currently owned by the person with this email address, including those transferred to this person and excluding those transferred to others. Case-insensitive.",
    schema: {
      type: "string",
      format: "email",
      maxLength: emailCharactersMax,
      examples: ["ada@example.com"],
    },
  },
  order: {
    description:
      "Only certificates of this order: either the order name, which begins with `#` (`%23` in a URL), or the numeric order ID.",
    schema: {
      type: "string",
      anyOf: [{ pattern: valuePatterns.orderName.source }, { pattern: valuePatterns.orderId.source }],
      examples: ["#1001", "4500001"],
    },
  },
  serial: {
    description: "Only the certificate with this serial number. Leading zeros are ignored.",
    schema: { type: "string", pattern: valuePatterns.serial.source, examples: ["000042"] },
  },
  status: {
    // Not `default` in the schema: clients send defaults, and beside a cursor of another status they get 400.
    description: "Only certificates with this status. Default: `all`; with a cursor, the status of its query.",
    schema: { type: "string", enum: statusNames },
  },
  updated_since: {
    description:
      "Only certificates changed after this time: an ISO 8601 date and time with `Z` or an offset. The seconds, and the colon in the offset, may be omitted; digits beyond milliseconds are ignored. To synchronize, send the newest `updatedAt` that you have read from the list.",
    schema: {
      type: "string",
      pattern: requestTimePattern,
      examples: ["2026-03-01T12:00:00.000Z", "2026-03-01T13:00+0100"],
    },
  },
  limit: {
    description: "The maximum number of certificates on the page. You may change the limit from page to page.",
    schema: { type: "integer", minimum: pageSize.min, maximum: pageSize.max, default: pageSize.default },
  },
  cursor: {
    description:
      "The `next_cursor` of the previous page, unchanged. It is valid only with an API key of the same store. Send either no filters, because the cursor contains them, or the same filters as for the first page. The cursor is encrypted and does not expire, but becomes invalid when the operator withdraws the encryption key or restores the service's data from a backup.",
    schema: { type: "string", minLength: 1 },
  },
};

/** The list's query parameters (INTERFACE.md §4.1), all optional, as members of `components.parameters`. */
export const listParameters: JsonObject = Object.fromEntries(
  Object.entries(parameters).map(([name, parameter]) => [name, { name, in: "query", required: false, ...parameter }]),
);
