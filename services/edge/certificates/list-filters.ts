import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { emailKey } from "#shared/email/email-address.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import {
  type OrderFilter,
  parseEmail,
  parseOrder,
  parseSerial,
  parseStatus,
  parseUpdatedSince,
  statusName,
} from "./query-values.ts";

/** The filters of a list: every parameter except `limit` and `cursor`. */
export interface ListFilters {
  readonly email?: string | undefined;
  readonly order?: OrderFilter | undefined;
  /** Digits without leading zeros. */
  readonly serial?: string | undefined;
  /** `UNSPECIFIED` matches every status. */
  readonly status: StatusFilter;
  /** Milliseconds since the Unix epoch; exclusive. */
  readonly updatedSinceMs?: number | undefined;
}

/** The query parameters that filter the list. */
export const filterNames = ["email", "order", "serial", "status", "updated_since"] as const;

type FilterName = (typeof filterNames)[number];

/**
 * Parses the values of filter parameters; ignores other parameters.
 *
 * @throws ServiceError bad_request naming the parameter at fault
 */
export function parseFilters(values: ReadonlyMap<string, string>): ListFilters {
  const parsed = <T>(name: FilterName, parse: (value: string) => T): T | undefined => {
    const value = values.get(name);
    return value === undefined ? undefined : parse(value);
  };
  return {
    email: parsed("email", parseEmail),
    order: parsed("order", parseOrder),
    serial: parsed("serial", parseSerial),
    updatedSinceMs: parsed("updated_since", parseUpdatedSince),
    status: parsed("status", parseStatus) ?? StatusFilter.UNSPECIFIED,
  };
}

/** The inverse of {@link parseFilters}: returns the parameter values that it parses to these filters. */
export function filterValues(filters: ListFilters): ReadonlyMap<FilterName, string> {
  const { email, order, serial, status, updatedSinceMs } = filters;
  const values: Readonly<Record<FilterName, string | undefined>> = {
    email,
    order: order?.value,
    serial,
    status: status === StatusFilter.UNSPECIFIED ? undefined : statusName(status),
    updated_since: updatedSinceMs === undefined ? undefined : new Date(updatedSinceMs).toISOString(),
  };
  return new Map(
    filterNames.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * Checks that filters sent with a cursor have the same meaning as those of the cursor's query.
 *
 * @throws ServiceError bad_request naming the first filter that differs
 */
export function requireSameFilters(sent: ListFilters, cursor: ListFilters): void {
  const [one, other] = [comparableValues(sent), comparableValues(cursor)];
  for (const name of filterNames) {
    if (one.get(name) === other.get(name)) continue;
    throw badRequest(
      name,
      "is not the same as in the query that the cursor continues. Send the same filters as for the first page, or send cursor without filters.",
    );
  }
}

function comparableValues(filters: ListFilters): ReadonlyMap<FilterName, string> {
  const { email } = filters;
  return filterValues(email === undefined ? filters : { ...filters, email: emailKey(email) });
}
