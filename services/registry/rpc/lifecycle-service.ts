import type { JsonObject } from "@bufbuild/protobuf";
import { LifecycleService, RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { reactivateCertificate } from "../certificates/reactivate-certificate.ts";
import { replaceLink } from "../certificates/replace-link.ts";
import { revokeCertificate } from "../certificates/revoke-certificate.ts";
import { transferCertificate } from "../certificates/transfer-certificate.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { storeAndActorOf } from "./call-scope.ts";
import { enumNames } from "./enum-names.ts";
import { type OfferedService, offer } from "./offered-service.ts";

const causeNames = enumNames(RevocationCause);

/** Implements LifecycleService: translates between its messages and the domain. */
export function lifecycleService(queue: CommitQueue): OfferedService {
  return offer(LifecycleService, {
    async revokeCertificate({ cause: causeValue, ...request }, context) {
      const cause = causeNames.nameOf(causeValue, "cause");
      const changes = queue.within(callLimitsOf(context));
      return certificateReply(await revokeCertificate(changes, { ...request, cause, ...storeAndActorOf(context) }));
    },

    async reactivateCertificate(request, context) {
      const changes = queue.within(callLimitsOf(context));
      return certificateReply(await reactivateCertificate(changes, { ...request, ...storeAndActorOf(context) }));
    },

    async transferCertificate({ newOwnerName, newOwnerEmail, ...request }, context) {
      const newOwner = { name: newOwnerName, email: newOwnerEmail };
      const changes = queue.within(callLimitsOf(context));
      const result = await transferCertificate(changes, { ...request, newOwner, ...storeAndActorOf(context) });
      return { ...certificateReply(result.certificate), unchanged: result.isUnchanged };
    },
  });
}

/** Implements LinkService: translates between its messages and the domain. */
export function linkService(queue: CommitQueue): OfferedService {
  return offer(LinkService, {
    async replaceLink(request, context) {
      const changes = queue.within(callLimitsOf(context));
      return certificateReply(await replaceLink(changes, { ...request, ...storeAndActorOf(context) }));
    },
  });
}

/** Converts a certificate's public JSON to a response that carries it as a google.protobuf.Struct. */
export function certificateReply(publicJson: string): { certificate: JsonObject } {
  return { certificate: JSON.parse(publicJson) };
}
