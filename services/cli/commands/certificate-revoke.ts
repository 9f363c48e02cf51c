import { type Command, Option } from "commander";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { certificateIn, findCertificate, lineOf } from "../registry-client/find-certificate.ts";
import { print, runs } from "./command.ts";
import { type RequestIdOption, withRequestId } from "./idempotency-key.ts";

const causes: Readonly<Record<string, RevocationCause>> = {
  refund: RevocationCause.REFUND,
  "order-cancelled": RevocationCause.ORDER_CANCELLED,
  "in-app": RevocationCause.IN_APP,
};

interface RevokeOptions extends RequestIdOption {
  readonly cause: string;
  readonly reason: string;
  readonly yes: boolean;
}

/** `certctl certificate revoke <id or serial>` */
export function addCertificateRevoke(parent: Command): void {
  const command = parent
    .command("revoke")
    .description("revoke a certificate; without --yes it only shows which")
    .argument("<id or serial>", "an active certificate of the store")
    .addOption(new Option("--cause <cause>", "why").choices(Object.keys(causes)).default("in-app"))
    .option("--reason <text>", "the reason that the certificate shows; default: the cause in words", "")
    .option("--yes", "really revoke it", false);
  runs<RevokeOptions>(withRequestId(command), async (client, options, [selector = ""]) => {
    const storeId = await chooseStore(client, options.store);
    const found = await findCertificate(client, storeId, selector);
    if (!options.yes) return print(`would revoke ${lineOf(found)}; add --yes to do it`);
    const { certificate } = await client.lifecycle.revokeCertificate({
      storeId,
      certificateId: found.id,
      cause: causes[options.cause] ?? RevocationCause.UNSPECIFIED,
      reason: options.reason,
      idempotencyKey: options.idempotencyKey,
    });
    print(lineOf(certificateIn(certificate)));
  });
}
