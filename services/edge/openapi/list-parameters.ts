import { emailCharactersMax } from "#shared/email/email-address.ts";
import type { ParameterName } from "../certificates/list-query.ts";
import { pageSize, statusNames, valuePatterns } from "../certificates/query-values.ts";
import type { JsonObject } from "./schema.ts";

// Validators disagree about `date-time` (leap seconds, hours above 23, a space instead of `T`), and some ignore it.
const clockTime = "([01][0-9]|2[0-3]):[0-5][0-9]";
const requestTimePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]${clockTime}:[0-5][0-9](\\.[0-9]+)?([Zz]|[+-]${clockTime})$`;

interface ListParameter {
  readonly description: string;
  /** Contains the examples, because the viewer would prefill requests with examples set on the parameter itself. */
  readonly schema: JsonObject;
}

const parameters: Readonly<Record<ParameterName, ListParameter>> = {
  email: {
    description:
      "Only certificates that the person with this e-mail address currently owns: includes certificates transferred to them, excludes certificates they transferred away. Case-insensitive.",
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
    description: "Only certificates with this status.",
    schema: { type: "string", enum: statusNames, default: "all" },
  },
  updated_since: {
    description:
      "Only certificates changed after this time, in ISO 8601 format with `Z` or an offset. Digits beyond milliseconds are ignored. To synchronize, send the newest `updatedAt` you have seen.",
    schema: {
      type: "string",
      format: "date-time",
      pattern: requestTimePattern,
      examples: ["2026-03-01T12:00:00.000Z", "2026-03-01T13:00:00+01:00"],
    },
  },
  limit: {
    description: "The maximum number of certificates on the page. You may change the limit from page to page.",
    schema: { type: "integer", minimum: pageSize.min, maximum: pageSize.max, default: pageSize.default },
  },
  cursor: {
    description:
      "The `next_cursor` of the previous page, unchanged. Send the same filters with it, and a key of the same store.",
    schema: { type: "string", minLength: 1 },
  },
};

/** The list's query parameters (INTERFACE.md §4.1), all optional, as members of `components.parameters`. */
export const listParameters: JsonObject = Object.fromEntries(
  Object.entries(parameters).map(([name, parameter]) => [name, { name, in: "query", required: false, ...parameter }]),
);
