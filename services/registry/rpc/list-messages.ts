import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Admission, type HandleListRequest, type PageQuery, StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import type { FindCertificatesRequest } from "#gen/registry/v1/inspection_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { AdmissionDecision } from "../admissions/admission.ts";
import type { ListFilter, ListPage } from "../certificates/list-certificates.ts";
import { parseSerial } from "../certificates/serial.ts";
import type { ListRequest } from "../list-requests/handle-list-request.ts";
import type { CallLimits } from "../load/call-limits.ts";
import { enumNames } from "./enum-names.ts";

const maxLimit = 100;
const hashBytes = 32;
const idBytes = 16;

const admissionNames = enumNames(Admission);

/** Converts the message of a list request. @throws ServiceError `bad_request` naming an invalid field */
export function listRequestOf(
  message: Pick<HandleListRequest, "keySha256" | "admissionId" | "page" | "certificateId">,
  limits: CallLimits,
): ListRequest {
  const { page, certificateId } = message;
  const asked = certificateId === undefined ? page && pageQueryOf(page) : { filter: { certificateId }, limit: 1 };
  return { ...admissionOf(message), page: asked, limits };
}

/**
 * Converts the key hash and the id of an admission. Both are copied: a decoded field is a view of what the connection
 * has read, up to 64 KiB, and the uses of keys are kept for a minute.
 *
 * @throws ServiceError `bad_request` naming an invalid field
 */
export function admissionOf({ keySha256, admissionId }: Pick<HandleListRequest, "keySha256" | "admissionId">) {
  checkBytes("key_sha256", keySha256, hashBytes);
  checkBytes("admission_id", admissionId, idBytes);
  return { keyHash: new Uint8Array(keySha256), admissionId: new Uint8Array(admissionId) };
}

/** Converts an admission decision to the fields of HandleListResponse except `page`. */
export function decisionMessage(decision: AdmissionDecision) {
  const admission = admissionNames.valueOf(decision.admission);
  if (decision.admission === "unknown_key") return { admission };
  const { storeId, rateLimit } = decision;
  const epoch = decision.admission === "admitted" ? decision.epoch : "";
  return { admission, storeId, rateLimit, epoch };
}

/** Converts a page to its message without the certificates; the caller adds their JSON unparsed. */
export function pageWithoutJson({ next }: ListPage) {
  return next && { next: timestampFromDate(next) };
}

function pageQueryOf(page: PageQuery) {
  if (page.limit < 1 || page.limit > maxLimit) throw badRequest("limit", `must be 1 to ${maxLimit}`);
  return { filter: listFilterOf(page), limit: page.limit };
}

function checkBytes(field: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw badRequest(field, `must be ${length} bytes`);
}

const statusNames = enumNames(StatusFilter);

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
  const status = statusNames.nameIfSet(query.status, "status");
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
