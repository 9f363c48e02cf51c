import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";

/** The operations of LifecycleService under their short names in test tables: `revoke` for `RevokeCertificate`. */
export const lifecycleOperations: readonly string[] = LifecycleService.methods.map(({ localName }) =>
  localName.replace(/Certificate$/, ""),
);
