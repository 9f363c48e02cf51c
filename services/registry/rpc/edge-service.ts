import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { ListRequestDeps } from "../list-requests/handle-list-request.ts";
import type { ApiKeys } from "../stores/api-keys.ts";
import { admissionOf } from "./list-messages.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { checkCount } from "./request-limits.ts";

const returnsMax = 500;
const withinSecondsMax = 604_800;
const storesPerPage = 2_000;

interface EdgeServiceDeps extends Pick<ListRequestDeps, "placeReturns" | "keyOwners"> {
  readonly apiKeys: Pick<ApiKeys, "listRecent">;
  /** Returns the database's time. */
  readonly now: () => Date;
}

/** Implements EdgeService: translates between its messages and the domain. */
export function edgeService(deps: EdgeServiceDeps): OfferedService {
  return offer(EdgeService, {
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
  });
}
