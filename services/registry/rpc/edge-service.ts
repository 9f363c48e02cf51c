import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { Admission, type EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { type ListPage, listCertificates } from "../certificates/list-certificates.ts";
import { certificatesOf } from "../certificates/page-json.ts";
import { handleListRequest, type ListRequestDeps } from "../list-requests/handle-list-request.ts";
import { remainingMs } from "../load/remaining-time.ts";
import type { AdmissionDecision } from "../stores/admission.ts";
import type { ApiKeys } from "../stores/api-keys.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { enumNames } from "./enum-names.ts";
import { listFilterOf } from "./list-filter.ts";
import { checkCount } from "./request-limits.ts";

const maxLimit = 100;
const hashBytes = 32;
const idBytes = 16;
const returnsMax = 500;
const withinSecondsMax = 604_800;
const storesPerPage = 2_000;

/** Dependencies of {@link edgeService}. */
export interface EdgeServiceDeps extends ListRequestDeps {
  readonly apiKeys: Pick<ApiKeys, "listRecent">;
  readonly now: () => Date;
}

const admissionNames = enumNames({
  admitted: Admission.ADMITTED,
  unknown_key: Admission.UNKNOWN_KEY,
  plan_required: Admission.PLAN_REQUIRED,
  rate_limited: Admission.RATE_LIMITED,
});

/** Implements EdgeService: translates between its messages and the domain. */
export function edgeService(deps: EdgeServiceDeps): ServiceImpl<typeof EdgeService> {
  return {
    async handleList({ keySha256, admissionId, page }, context) {
      checkBytes("key_sha256", keySha256, hashBytes);
      checkBytes("admission_id", admissionId, idBytes);
      if (page !== undefined) checkLimit(page.limit);
      const answer = await handleListRequest(deps, {
        keyHash: keySha256,
        admissionId,
        page: page && { filter: listFilterOf(page), limit: page.limit },
        limits: callLimitsOf(context),
      });
      return { ...decisionMessage(answer.decision), ...(answer.page && { page: pageMessage(answer.page) }) };
    },

    returnAdmissions({ admissions }) {
      checkCount("admissions", admissions.length, returnsMax);
      for (const { keySha256, admissionId } of admissions) {
        checkBytes("key_sha256", keySha256, hashBytes);
        checkBytes("admission_id", admissionId, idBytes);
        deps.placeReturns.add({ keyHash: keySha256, id: admissionId, isWritten: false });
      }
      return {};
    },

    async listRecentKeys({ withinSeconds, afterStoreId }) {
      if (withinSeconds < 1 || withinSeconds > withinSecondsMax)
        throw badRequest("within_seconds", `must be 1 to ${withinSecondsMax}`);
      const usedAfter = new Date(deps.now().getTime() - withinSeconds * 1_000);
      const page = await deps.apiKeys.listRecent({ usedAfter, afterStoreId, storesMax: storesPerPage });
      return { keySha256: [...page.keyHashes], nextStoreId: page.nextStoreId };
    },

    async admit({ keySha256 }, context) {
      checkBytes("key_sha256", keySha256, hashBytes);
      const call = { store: deps.keyOwners.ownerOf(keySha256), ...callLimitsOf(context) };
      const decision = await deps.shedder.run(call, () => deps.admissions.admit(keySha256));
      if (decision.admission !== "unknown_key")
        deps.keyOwners.note(keySha256, { storeId: decision.storeId, isAdmitted: decision.admission === "admitted" });
      return decisionMessage(decision);
    },

    async listCertificates(request, context) {
      const { storeId, limit } = request;
      checkLimit(limit);
      const filter = listFilterOf(request);
      if (filter === undefined) return { certificates: [] };
      const limits = callLimitsOf(context);
      const page = { filter, limit, remainingMs: () => remainingMs(limits, deps.clock) };
      const read = () => listCertificates(deps, storeId, page);
      return pageMessage(await deps.shedder.run({ store: storeId, ...limits }, read));
    },
  };
}

function decisionMessage({ admission, ...state }: AdmissionDecision) {
  return { ...state, admission: admissionNames.valueOf(admission) };
}

function pageMessage({ json, next }: ListPage) {
  return { certificates: certificatesOf(json), ...(next && { next: timestampFromDate(next) }) };
}

function checkBytes(field: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw badRequest(field, `must be ${length} bytes`);
}

function checkLimit(limit: number): void {
  if (limit < 1 || limit > maxLimit) throw badRequest("limit", `must be 1 to ${maxLimit}`);
}
