/** Transfers over gRPC: each worker gives its own certificates new owners, one after the other, again and again. */
import { connectRegistry } from "../../checks/runner/registry-calls.ts";
import { serveLoad } from "../load/serve-load.ts";
import { registryTransfers } from "./setups.ts";
import { transferWorkers } from "./transfer-workers.ts";

serveLoad(registryTransfers, async ({ registryAddress, targets }) => {
  const { lifecycle } = connectRegistry(registryAddress);
  return transferWorkers(targets, (target, newOwnerEmail) =>
    lifecycle.transferCertificate({ ...target, newOwnerName: "Ada Example", newOwnerEmail }),
  );
});
