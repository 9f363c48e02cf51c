import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type PageQuery, StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import type { FindCertificatesRequest } from "#gen/registry/v1/inspection_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { ListFilter } from "../certificates/list-certificates.ts";
import { parseSerial } from "../certificates/serial.ts";
import { enumNames } from "./enum-names.ts";

const statusNames = enumNames({
  active: StatusFilter.ACTIVE,
  revoked: StatusFilter.REVOKED,
  expired: StatusFilter.EXPIRED,
});

// Later than any change.
const endOfTime = new Date("9999-12-31T00:00:00Z");

/**
 * Converts the filters of a list request.
 *
 * @returns undefined if the serial number is malformed: no certificate can match it
 * @throws ServiceError `bad_request` naming `status` for an unknown status
 */
export function listFilterOf(query: PageQuery | FindCertificatesRequest): ListFilter | undefined {
  const { email, order, updatedSince, after } = query;
  const serial = query.serial === undefined ? undefined : parseSerial(query.serial);
  if (query.serial !== undefined && serial === undefined) return undefined;
  const status = query.status === StatusFilter.UNSPECIFIED ? undefined : statusNames.nameOf(query.status, "status");
  const changedAfter = latest([updatedSince, after].filter((time) => time !== undefined));
  return { email, order, serial, status, changedAfter };
}

/**
 * Converts the filters of a request with `newest_first`.
 *
 * @returns undefined if the serial number is malformed: no certificate can match it
 * @throws ServiceError `bad_request` if `updated_since` is set or the status is unknown
 */
export function newestFirstFilterOf(query: FindCertificatesRequest): ListFilter | undefined {
  if (query.updatedSince !== undefined) throw badRequest("updated_since", "is not allowed with newest_first");
  const filter = listFilterOf(query);
  const newestBefore = query.after === undefined ? endOfTime : new Date(wholeMs(query.after));
  return filter && { ...filter, changedAfter: undefined, newestBefore };
}

function latest(times: readonly Timestamp[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.max(...times.map(wholeMs)));
}

// Rounds down: rounding to the nearest millisecond could skip a change in the next millisecond.
function wholeMs({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
}
