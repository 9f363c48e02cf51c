import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Admission, type HandleListRequest, type PageQuery } from "#gen/registry/v1/edge_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { ListPage } from "../certificates/list-certificates.ts";
import type { ListRequest } from "../list-requests/handle-list-request.ts";
import type { CallLimits } from "../load/call-limits.ts";
import type { AdmissionDecision } from "../stores/admission.ts";
import { enumNames } from "./enum-names.ts";
import { listFilterOf } from "./list-filter.ts";

const maxLimit = 100;
const hashBytes = 32;
const idBytes = 16;

const admissionNames = enumNames({
  admitted: Admission.ADMITTED,
  unknown_key: Admission.UNKNOWN_KEY,
  plan_required: Admission.PLAN_REQUIRED,
  rate_limited: Admission.RATE_LIMITED,
});

/** Converts the message of a list request. @throws ServiceError `bad_request` naming an invalid field */
export function listRequestOf(
  { keySha256, admissionId, page }: Pick<HandleListRequest, "keySha256" | "admissionId" | "page">,
  limits: CallLimits,
): ListRequest {
  return { ...admissionOf({ keySha256, admissionId }), page: page && pageQueryOf(page), limits };
}

/**
 * Converts the key hash and the id of an admission.
 *
 * @throws ServiceError `bad_request` naming an invalid field
 */
export function admissionOf({ keySha256, admissionId }: Pick<HandleListRequest, "keySha256" | "admissionId">) {
  checkKeyHash(keySha256);
  checkBytes("admission_id", admissionId, idBytes);
  return { keyHash: keySha256, admissionId };
}

function checkKeyHash(keySha256: Uint8Array): void {
  checkBytes("key_sha256", keySha256, hashBytes);
}

/** @throws ServiceError `bad_request` for a page size that is out of range */
function checkLimit(limit: number): void {
  if (limit < 1 || limit > maxLimit) throw badRequest("limit", `must be 1 to ${maxLimit}`);
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
  checkLimit(page.limit);
  return { filter: listFilterOf(page), limit: page.limit };
}

function checkBytes(field: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw badRequest(field, `must be ${length} bytes`);
}
