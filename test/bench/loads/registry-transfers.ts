/** Transfers over gRPC: each worker transfers its own certificates in turn. */

import { z } from "zod";
import { inStore } from "../../harness/in-store.ts";
import { connectRegistry } from "../../harness/stack/registry-clients.ts";
import { paceWorkers } from "../load/pace-workers.ts";
import { registryTarget } from "../load/registry-target.ts";
import { serveLoad } from "../load/serve-load.ts";
import { transferWorkers, workerTargets } from "./transfer-workers.ts";

const setup = z.object({ registry: registryTarget, targets: workerTargets, perSecond: z.number().optional() });

serveLoad(setup, async ({ registry: { address, grpc }, targets, perSecond }) => {
  const { lifecycle } = connectRegistry(address, { grpc });
  const workers = transferWorkers(targets, (target, newOwnerEmail) =>
    lifecycle.transferCertificate({ ...target, newOwnerName: "Ada Example", newOwnerEmail }, inStore(target.storeId)),
  );
  return paceWorkers(workers, perSecond);
});
