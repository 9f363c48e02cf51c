import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import { ListenService } from "#gen/registry/v1/listen_service_pb.js";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import type { ListenMessages } from "../listening/listen-messages.ts";
import type { ListenToken } from "../listening/listen-tokens.ts";
import { sendSample } from "../listening/send-sample.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import { notFound } from "../values/not-found.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { knownEvent } from "./request-limits.ts";

interface ListenServiceDeps {
  readonly messages: ListenMessages;
  readonly queue: CommitQueue;
  /** Limits the reads in flight. */
  readonly lookups: Pick<LoadShedder, "run">;
}

/** Implements ListenService: translates between its messages and the domain. */
export function listenService({ messages, queue, lookups }: ListenServiceDeps): OfferedService {
  const withToken = <T>(
    { tokenSha256 }: { readonly tokenSha256: Uint8Array },
    context: HandlerContext,
    work: (token: ListenToken) => Promise<T>,
  ): Promise<T> =>
    lookups.run({ store: Buffer.from(tokenSha256).toString("base64"), ...callLimitsOf(context) }, async () => {
      const token = await messages.findToken(tokenSha256);
      if (token === undefined) throw notFound("listen token");
      return work(token);
    });
  return offer(ListenService, {
    readMessages: (request, context) =>
      withToken(request, context, async (token) => {
        const { events, ...page } = await messages.read(token, request.after);
        return { ...page, events: [...events], expiresAt: timestampFromDate(token.expiresAt), storeId: token.storeId };
      }),

    async sendSample(request, context) {
      const event = knownEvent("event", request.event);
      const token = await withToken(request, context, async (found) => found);
      const deliveryId = await sendSample(queue.within(callLimitsOf(context)), token, event);
      return { deliveryId, storeId: token.storeId };
    },
  });
}
