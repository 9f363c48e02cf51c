import type { ServiceImpl } from "@connectrpc/connect";
import type { LinkService } from "#gen/registry/v1/link_service_pb.js";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { replaceLink } from "../certificates/replace-link.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { storeAndActorOf } from "./call-scope.ts";
import { certificateReply } from "./lifecycle-service.ts";

/** Implements LinkService: translates between its messages and the domain. */
export function linkService(queue: CommitQueue): ServiceImpl<typeof LinkService> {
  return {
    async replaceLink(request, context) {
      const changes = queue.within(callLimitsOf(context));
      return certificateReply(await replaceLink(changes, { ...request, ...storeAndActorOf(context) }));
    },
  };
}
