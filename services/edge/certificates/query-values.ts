import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { isEmailAddress } from "#shared/email/email-address.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { parseRfc3339 } from "#shared/time/rfc3339.ts";

// As JSON Schema wants it: \P{Cc} is not known to every engine.
const noControl = "[^\\u0000-\\u001f\\u007f-\\u009f]";

/** The texts that parameters take, for the parser and for the API's description alike. */
export const valuePatterns = {
  /** `#` and 1 to 63 characters: what an order of the storefront platform can be called. */
  orderName: new RegExp(`^#${noControl}{1,63}$`, "u"),
  orderId: /^[0-9]{1,20}$/u,
  serial: /^[0-9]{1,20}$/u,
} as const;

/** How many certificates a page may show, and how many it shows when nobody says (INTERFACE.md §8). */
export const pageSize = { min: 1, max: 100, default: 50 } as const;

/** An order by its name or by its id on the storefront platform (INTERFACE.md §4.1). */
export interface OrderFilter {
  readonly kind: "name" | "id";
  readonly value: string;
}

const statuses: ReadonlyMap<string, StatusFilter> = new Map([
  ["active", StatusFilter.ACTIVE],
  ["revoked", StatusFilter.REVOKED],
  ["expired", StatusFilter.EXPIRED],
  ["all", StatusFilter.UNSPECIFIED],
]);

/** What `status` can be; the last one is the default. */
export const statusNames: readonly string[] = [...statuses.keys()];

/** `email`: an address as certificates can have it; kept as it is. */
export function parseEmail(value: string): string {
  if (isEmailAddress(value)) return value;
  throw badRequest("email", "is not an e-mail address.");
}

/** `order`: an order's name, exactly, or its id, exactly. */
export function parseOrder(value: string): OrderFilter {
  if (valuePatterns.orderName.test(value)) return { kind: "name", value };
  if (valuePatterns.orderId.test(value)) return { kind: "id", value };
  throw badRequest("order", "is neither an order's name (%231001 in a URL, for #1001) nor its numeric id.");
}

/** `serial`: 1 to 20 digits. Leading zeros do not matter and are taken off. */
export function parseSerial(value: string): string {
  if (valuePatterns.serial.test(value)) return value.replace(/^0+(?=[0-9])/, "");
  throw badRequest("serial", "is not a serial number: digits only, 20 at the most.");
}

/** `status`: one of four words, in lower case. */
export function parseStatus(value: string): StatusFilter {
  const status = statuses.get(value);
  if (status !== undefined) return status;
  throw badRequest("status", `is not one of ${statusNames.join(", ")}.`);
}

/** `updated_since`: an RFC 3339 date-time; milliseconds since the Unix epoch, rounded down. */
export function parseUpdatedSince(value: string): number {
  const timeMs = parseRfc3339(value);
  if (timeMs !== undefined) return timeMs;
  throw badRequest(
    "updated_since",
    "is not a time such as 2026-03-01T12:00:00.000Z: an existing date and time, and Z or an offset such as +01:00.",
  );
}

/** `limit`: 1 to 100, as plain digits without leading zeros. */
export function parseLimit(value: string): number {
  const limit = /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : 0;
  if (limit >= pageSize.min && limit <= pageSize.max) return limit;
  throw badRequest("limit", `is not a whole number from ${pageSize.min} to ${pageSize.max}.`);
}
