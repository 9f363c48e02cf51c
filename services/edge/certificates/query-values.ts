import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { isEmailAddress } from "#shared/email/email-address.ts";
import { namedValues } from "#shared/enums/named-values.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { parseIsoTime } from "#shared/time/iso-time.ts";

// The class \P{Cc}, written out because not every JSON Schema validator supports it.
const noControl = "[^\\u0000-\\u001f\\u007f-\\u009f]";

/** The patterns of parameter values, shared by the parser and the OpenAPI document. */
export const valuePatterns = {
  /** `#` and 1 to 63 characters other than control characters. */
  orderName: new RegExp(`^#${noControl}{1,63}$`, "u"),
  orderId: /^[0-9]{1,20}$/u,
  serial: /^[0-9]{1,20}$/u,
} as const;

/** The bounds and the default of `limit` (INTERFACE.md §8). */
export const pageSize = { min: 1, max: 100, default: 50 } as const;

/** An order, identified by its name or by its id on the storefront platform (INTERFACE.md §4.1). */
export interface OrderFilter {
  readonly kind: "name" | "id";
  readonly value: string;
}

const statuses = new Map<string, StatusFilter>([
  ...Object.entries(namedValues(StatusFilter)),
  ["all", StatusFilter.UNSPECIFIED],
]);

/** The values of `status`; the last value is the default. */
export const statusNames: readonly string[] = [...statuses.keys()];

/** Validates `email` and returns it unchanged. */
export function parseEmail(value: string): string {
  if (isEmailAddress(value)) return value;
  throw badRequest("email", "is not a valid email address. Send a single address such as ada@example.com.");
}

export function parseOrder(value: string): OrderFilter {
  if (valuePatterns.orderName.test(value)) return { kind: "name", value };
  if (valuePatterns.orderId.test(value)) return { kind: "id", value };
  throw badRequest(
    "order",
    "is neither an order name nor an order ID. Send a name of at most 64 characters, such as #1001 (%231001 in a URL), or an ID of 1 to 20 digits.",
  );
}

/** Parses `serial`: 1 to 20 digits. Removes leading zeros. */
export function parseSerial(value: string): string {
  if (valuePatterns.serial.test(value)) return value.replace(/^0+(?=[0-9])/, "");
  throw badRequest("serial", "is not a valid serial number. Send 1 to 20 digits.");
}

/** Parses `status`; case-sensitive. */
export function parseStatus(value: string): StatusFilter {
  const status = statuses.get(value);
  if (status !== undefined) return status;
  throw badRequest("status", `is not a valid status. Send one of ${statusNames.join(", ")}.`);
}

/** Returns the value of `status` that {@link parseStatus} parses to this filter. */
export function statusName(status: StatusFilter): string {
  for (const [name, value] of statuses) if (value === status) return name;
  throw new Error(`unknown status filter ${status}`);
}

/**
 * Parses `updated_since`, an ISO 8601 date and time with a zone. Returns milliseconds since the Unix epoch, rounded
 * down.
 */
export function parseUpdatedSince(value: string): number {
  const timeMs = parseIsoTime(value);
  if (timeMs !== undefined) return timeMs;
  throw badRequest(
    "updated_since",
    "is not a valid time. Send a valid date and time with Z or a UTC offset, such as 2026-03-01T12:00:00.000Z.",
  );
}

/** Parses `limit`: 1 to 100, digits without leading zeros. */
export function parseLimit(value: string): number {
  const limit = /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : 0;
  if (limit >= pageSize.min && limit <= pageSize.max) return limit;
  throw badRequest(
    "limit",
    `is not a valid page size. Send a whole number from ${pageSize.min} to ${pageSize.max}, without leading zeros.`,
  );
}
