/**
 * Imports over gRPC: each worker streams batches into its own store and sends a batch once the previous one is durable.
 */
import { PassThrough } from "node:stream";
import { z } from "zod";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { issueItem } from "../../harness/issue-items.ts";
import { connectRegistry } from "../../harness/stack/registry-clients.ts";
import { registryTarget } from "../load/registry-target.ts";
import { serveLoad } from "../load/serve-load.ts";

const setup = z.object({ registry: registryTarget, storeIds: z.array(z.string()), batchItems: z.number() });

serveLoad(setup, async ({ registry: { address, grpc }, storeIds, batchItems }) => {
  const { issuing } = connectRegistry(address, { grpc });
  return storeIds.map((storeId) => {
    const parts = new PassThrough({ objectMode: true });
    const replies = issuing.importCertificates(parts, inStore(storeId))[Symbol.asyncIterator]();
    let orders = 0;
    return async () => {
      const items = Array.from({ length: batchItems }, () => {
        orders++;
        return issueItem({ order: { id: String(450_789_469 + orders), name: `#${orders}` } });
      });
      parts.write({ items });
      const reply = await replies.next();
      const results = reply.done ? [] : reply.value.results;
      if (results.length !== batchItems || results.some(({ outcome }) => outcome !== IssueOutcome.ISSUED))
        throw new Error("some items of a batch were not issued");
      return batchItems;
    };
  });
});
