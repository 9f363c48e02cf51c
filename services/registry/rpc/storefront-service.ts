import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { StorefrontService } from "#gen/registry/v1/storefront_service_pb.js";
import type { Logger } from "#shared/observe/logger.ts";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type DataReportDeps, dataReport } from "../storefront/data-report.ts";
import { setRules } from "../storefront/set-rules.ts";
import { isClosed, type ProblemPosition, type Storefronts } from "../storefront/storefront-storage.ts";
import { placeAfter, tokenOf, unknownPage } from "../values/page-token.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { pageSize } from "./request-limits.ts";
import { ruleInputOf, ruleMessageOf } from "./storefront-rules.ts";

interface StorefrontServiceDeps extends DataReportDeps {
  readonly storefronts: Storefronts;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Wakes the worker after a change of the rules or a request to retry failed work. */
  readonly onWaiting: () => void;
}

/** Implements StorefrontService: translates between its messages and the domain. */
export function storefrontService(deps: StorefrontServiceDeps): OfferedService {
  const { storefronts, inbox, clock, logger, onWaiting } = deps;
  return offer(StorefrontService, {
    async getStorefront(_request, context) {
      const storeId = storeOf(context);
      const storefront = await storefronts.find(storeId);
      const { rules, rulesVersion, installedAt, uninstalledAt } = storefront;
      const { waitingCount, failedCount, lastMessageAt } = await storefronts.readWork(storeId);
      return {
        rules: rules.map(ruleMessageOf),
        rulesVersion,
        isClosed: isClosed(storefront),
        waitingCount,
        failedCount,
        ...(installedAt && { installedAt: timestampFromDate(installedAt) }),
        ...(uninstalledAt && { uninstalledAt: timestampFromDate(uninstalledAt) }),
        ...(lastMessageAt && { lastMessageAt: timestampFromDate(lastMessageAt) }),
      };
    },

    async setStorefrontRules({ rules, expectedVersion }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      const now = new Date(clock.now());
      const request = { rules: rules.map(ruleInputOf), expectedVersion, now, actor };
      const rulesVersion = await setRules(deps, storeId, request);
      onWaiting();
      return { rulesVersion };
    },

    async listStorefrontProblems({ limit, pageToken }, context) {
      const after = problemPositionOf(pageToken);
      const page = { after, countMax: pageSize(limit) };
      const { problems, next } = await storefronts.listProblems(storeOf(context), page);
      return {
        problems: problems.map(({ at, problems: reasons, kind: _, ...problem }) => ({
          ...problem,
          problems: reasons.flatMap((each) => reasonMessage(each) ?? []),
          at: timestampFromDate(at),
        })),
        nextPageToken: tokenOf(next && { at: next.at, id: `${next.kind} ${next.id}` }),
      };
    },

    async retryStorefront(_request, context) {
      const { storeId, actor } = storeAndActorOf(context);
      const retriedCount = await storefronts.retryFailed(storeId, actor, (err) =>
        logger.warn(
          { err, storeId },
          "not all failed storefront work is due again; the rest is still listed as failed",
        ),
      );
      onWaiting();
      return { retriedCount };
    },

    async listDataRequests(_request, context) {
      const requests = await inbox.dataRequests(storeOf(context));
      return { requests: requests.map(({ id, requestedAt }) => ({ id, requestedAt: timestampFromDate(requestedAt) })) };
    },

    async getDataRequestReport({ requestId }, context) {
      return { reportJson: await dataReport(deps, storeOf(context), requestId) };
    },
  });
}

function problemPositionOf(token: string): ProblemPosition | undefined {
  const place = placeAfter(token);
  if (place === undefined) return undefined;
  const [, kind, id] = /^(message|order) (.+)$/s.exec(place.id) ?? [];
  if (id === undefined) throw unknownPage();
  return { at: place.at, kind: kind === "order" ? kind : "message", id };
}
