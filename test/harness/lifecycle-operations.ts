import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";

/** Short names of the operations of LifecycleService, such as `revoke` for `RevokeCertificate`. */
export const lifecycleOperations: readonly string[] = LifecycleService.methods.map(({ localName }) =>
  localName.replace(/Certificate$/, ""),
);
