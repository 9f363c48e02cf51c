/** Imports over gRPC: each worker issues batches in its own store, and sends one once the previous one is durable. */
import { z } from "zod";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "../../harness/in-store.ts";
import { issueItem } from "../../harness/issue-items.ts";
import { connectRegistry } from "../../harness/stack/registry-clients.ts";
import { registryTarget } from "../load/registry-target.ts";
import { serveLoad } from "../load/serve-load.ts";

const setup = z.object({ registry: registryTarget, storeIds: z.array(z.string()), batchItems: z.number() });

serveLoad(setup, async ({ registry: { address, grpc }, storeIds, batchItems }) => {
  const { issuing } = connectRegistry(address, { grpc });
  return storeIds.map((storeId) => {
    let orders = 0;
    return async () => {
      const items = Array.from({ length: batchItems }, () => {
        orders++;
        return issueItem({ order: { id: String(450_789_469 + orders), name: `#${orders}` } });
      });
      const { results } = await issuing.issueCertificates({ items, isImport: true }, inStore(storeId));
      if (results.length !== batchItems || results.some(({ outcome }) => outcome !== IssueOutcome.ISSUED))
        throw new Error("some items of a batch were not issued");
      return batchItems;
    };
  });
});
