/** Transfers over gRPC: each worker transfers its own certificates in turn. */
import { z } from "zod";
import { connectRegistry } from "../../harness/stack/registry-clients.ts";
import { serveLoad } from "../load/serve-load.ts";
import { transferWorkers, workerTargets } from "./transfer-workers.ts";

const setup = z.object({ registryAddress: z.string(), targets: workerTargets });

serveLoad(setup, async ({ registryAddress, targets }) => {
  const { lifecycle } = connectRegistry(registryAddress);
  return transferWorkers(targets, (target, newOwnerEmail) =>
    lifecycle.transferCertificate({ ...target, newOwnerName: "Ada Example", newOwnerEmail }),
  );
});
