import { emailCharactersMax } from "#shared/email/email-address.ts";
import type { ParameterName } from "../certificates/list-query.ts";
import { pageSize, statusNames, valuePatterns } from "../certificates/query-values.ts";
import type { JsonObject } from "./json.ts";

// Not every validator looks at `date-time`, and those that do differ: in leap seconds, hours past 23, a space for the `T`.
const clockTime = "([01][0-9]|2[0-3]):[0-5][0-9]";
const requestTimePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]${clockTime}:[0-5][0-9](\\.[0-9]+)?([Zz]|[+-]${clockTime})$`;

interface ParameterText {
  readonly description: string;
  /** Its examples stand in the schema: those of a parameter would be filled in for whoever tries the viewer. */
  readonly schema: JsonObject;
}

const parameters: Readonly<Record<ParameterName, ParameterText>> = {
  email: {
    description:
      "Only certificates that this person owns now: those transferred to them, not those they transferred away. Case does not matter. In a URL, a `+` is a plus sign.",
    schema: {
      type: "string",
      format: "email",
      maxLength: emailCharactersMax,
      examples: ["ada@example.com"],
    },
  },
  order: {
    description:
      "Only certificates of this order: its name, beginning with `#` (`%23` in a URL), or its numeric id.",
    schema: {
      type: "string",
      anyOf: [{ pattern: valuePatterns.orderName.source }, { pattern: valuePatterns.orderId.source }],
      examples: ["#1001", "4500001"],
    },
  },
  serial: {
    description: "Only the certificate with this serial number. Leading zeros do not matter.",
    schema: { type: "string", pattern: valuePatterns.serial.source, examples: ["000042"] },
  },
  status: {
    description: "Only certificates in this state.",
    schema: { type: "string", enum: statusNames, default: "all" },
  },
  updated_since: {
    description:
      "Only certificates changed after this time: RFC 3339 with `Z` or an offset. What is finer than a millisecond is dropped. Send the newest `updatedAt` seen.",
    schema: {
      type: "string",
      format: "date-time",
      pattern: requestTimePattern,
      examples: ["2026-03-01T12:00:00.000Z", "2026-03-01T13:00:00+01:00"],
    },
  },
  limit: {
    description: "Certificates on a page, at the most. It may change from page to page.",
    schema: { type: "integer", minimum: pageSize.min, maximum: pageSize.max, default: pageSize.default },
  },
  cursor: {
    description:
      "The `next_cursor` of the previous page, unchanged, with the same filters and a key of the same store.",
    schema: { type: "string", minLength: 1 },
  },
};

/** The list's query parameters (INTERFACE.md §4.1), all optional, as the document's `components.parameters`. */
export const listParameters: JsonObject = Object.fromEntries(
  Object.entries(parameters).map(([name, text]) => [name, { name, in: "query", required: false, ...text }]),
);
