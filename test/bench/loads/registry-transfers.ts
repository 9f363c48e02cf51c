/** Transfers over gRPC: each worker transfers its own certificates in turn. */
import { connectRegistry } from "../../harness/stack/registry-clients.ts";
import { serveLoad } from "../load/serve-load.ts";
import { registryTransfers } from "./setups.ts";
import { transferWorkers } from "./transfer-workers.ts";

serveLoad(registryTransfers, async ({ registryAddress, targets }) => {
  const { lifecycle } = connectRegistry(registryAddress);
  return transferWorkers(targets, (target, newOwnerEmail) =>
    lifecycle.transferCertificate({ ...target, newOwnerName: "Ada Example", newOwnerEmail }),
  );
});
