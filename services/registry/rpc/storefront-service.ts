import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { StorefrontService } from "#gen/registry/v1/storefront_service_pb.js";
import type { Clock } from "#shared/time/clock.ts";
import { isClosed } from "../storefront/close-store.ts";
import { dataReport } from "../storefront/data-report.ts";
import { setRules } from "../storefront/set-rules.ts";
import type { StorefrontInbox, StorefrontOrders, Storefronts } from "../storefront/storefront-storage.ts";
import type { StoreDirectory } from "../stores/store-directory.ts";
import { actorOf } from "./actor.ts";
import { pageSize } from "./request-limits.ts";
import { ruleInputOf, ruleMessageOf } from "./storefront-rules.ts";

interface StorefrontServiceDeps {
  readonly stores: Pick<StoreDirectory, "findStore">;
  readonly storefronts: Storefronts;
  readonly inbox: Pick<StorefrontInbox, "dataRequests">;
  readonly orders: Pick<StorefrontOrders, "certificatesOf" | "certificatesOwnedBy" | "touchSince">;
  readonly clock: Clock;
  /** Called when there is work to do. */
  readonly onWaiting: () => void;
}

/** Implements StorefrontService: translates between its messages and the domain. */
export function storefrontService(deps: StorefrontServiceDeps): ServiceImpl<typeof StorefrontService> {
  const { stores, storefronts, inbox, clock, onWaiting } = deps;
  return {
    async getStorefront({ storeId }) {
      await stores.findStore({ storeId });
      const storefront = await storefronts.find(storeId);
      const { rules, installedAt, uninstalledAt } = storefront;
      const { waitingCount, failedCount, lastMessageAt } = await storefronts.readWork(storeId);
      return {
        ...{ rules: rules.map(ruleMessageOf), isClosed: isClosed(storefront), waitingCount, failedCount },
        ...(installedAt && { installedAt: timestampFromDate(installedAt) }),
        ...(uninstalledAt && { uninstalledAt: timestampFromDate(uninstalledAt) }),
        ...(lastMessageAt && { lastMessageAt: timestampFromDate(lastMessageAt) }),
      };
    },

    async setStorefrontRules({ storeId, rules }, context) {
      const now = new Date(clock.now());
      await setRules(deps, storeId, { rules: rules.map(ruleInputOf), now, actor: actorOf(context) });
      onWaiting();
      return {};
    },

    async listStorefrontProblems({ storeId, limit }) {
      await stores.findStore({ storeId });
      const problems = await storefronts.listProblems(storeId, pageSize(limit));
      return {
        problems: problems.map(({ at, problems: sentences, ...problem }) => ({
          ...{ ...problem, problems: [...sentences], at: timestampFromDate(at) },
        })),
      };
    },

    async retryStorefront({ storeId }) {
      await stores.findStore({ storeId });
      const retriedCount = await storefronts.retryFailed(storeId);
      onWaiting();
      return { retriedCount };
    },

    async listDataRequests({ storeId }) {
      await stores.findStore({ storeId });
      const requests = await inbox.dataRequests(storeId);
      return { requests: requests.map(({ id, requestedAt }) => ({ id, requestedAt: timestampFromDate(requestedAt) })) };
    },

    async getDataRequestReport({ storeId, requestId }) {
      return { reportJson: await dataReport(deps, storeId, requestId) };
    },
  };
}
