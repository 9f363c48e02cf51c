/** Transfers over gRPC: each worker gives its own certificate a new owner, again and again. */
import { connectRegistry } from "../../check-feed/registry-calls.ts";
import { serveLoad } from "../load/serve-load.ts";
import { registryTransfers } from "./setups.ts";

serveLoad(registryTransfers, async ({ registryAddress, targets }) => {
  const { lifecycle } = connectRegistry(registryAddress);
  let count = 0;
  return targets.map((target) => async () => {
    const newOwner = { newOwnerName: "Ada Example", newOwnerEmail: `owner${count++}@example.test` };
    await lifecycle.transferCertificate({ ...target, ...newOwner });
    return 1;
  });
});
