import type { ServiceImpl } from "@connectrpc/connect";
import type { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { listCertificates } from "../certificates/list-certificates.ts";
import { handleListRequest, type ListRequestDeps, noteDecision } from "../list-requests/handle-list-request.ts";
import { remainingMs } from "../load/remaining-time.ts";
import type { ApiKeys } from "../stores/api-keys.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { listFilterOf } from "./list-filter.ts";
import { admissionOf, checkKeyHash, checkLimit, decisionMessage, listRequestOf, pageMessage } from "./list-messages.ts";
import { checkCount } from "./request-limits.ts";

const returnsMax = 500;
const withinSecondsMax = 604_800;
const storesPerPage = 2_000;

/** Dependencies of {@link edgeService}. */
export interface EdgeServiceDeps extends ListRequestDeps {
  readonly apiKeys: Pick<ApiKeys, "listRecent">;
  readonly now: () => Date;
}

/** Implements EdgeService: translates between its messages and the domain. */
export function edgeService(deps: EdgeServiceDeps): ServiceImpl<typeof EdgeService> {
  return {
    async handleList(request, context) {
      const { decision, page } = await handleListRequest(deps, listRequestOf(request, callLimitsOf(context)));
      return { ...decisionMessage(decision), ...(page && { page: pageMessage(page) }) };
    },

    returnAdmissions({ admissions }) {
      checkCount("admissions", admissions.length, returnsMax);
      for (const { keyHash, admissionId } of admissions.map(admissionOf))
        deps.placeReturns.add({
          keyHash,
          id: admissionId,
          isWritten: false,
          storeId: deps.keyOwners.storeOf(keyHash),
        });
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
      checkKeyHash(keySha256);
      const call = { store: deps.keyOwners.ownerOf(keySha256), ...callLimitsOf(context) };
      const decision = await deps.shedder.run(call, () => deps.admissions.admit(keySha256));
      noteDecision(deps.keyOwners, keySha256, decision);
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
