import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import type { WithdrawalResult } from "#shared/orders/import-tally.ts";
import type { WithdrawalReason, WithdrawnOrder } from "#shared/orders/order-unit-row.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { FoundCertificate } from "../../registry-client/find-certificate.ts";
import { listCertificates } from "../../registry-client/list-certificates.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";

/** Makes an idempotent call, and retries it while the registry is unavailable. */
export type RepeatedCall = <T>(work: () => Promise<T>) => Promise<T>;

interface WithdrawalOptions {
  readonly store: Pick<StoreCalls, "inspection" | "lifecycle">;
  readonly call: RepeatedCall;
  /** Prefix of the idempotency keys of revocations; unique for each run. */
  readonly keyPrefix: string;
  /** Whether to revoke the certificates instead of only reporting them. */
  readonly isRevoking: boolean;
  /** Called with one line for each certificate that is revoked or, without `isRevoking`, would be. */
  readonly report: (line: string) => void;
}

const causes: Readonly<Record<WithdrawalReason, RevocationCause>> = {
  refunded: RevocationCause.REFUND,
  cancelled: RevocationCause.ORDER_CANCELLED,
};

/**
 * Returns a function that finds the active certificates of a refunded or cancelled order by the order's id, however
 * they were issued, and revokes them or only reports them. The registry derives the revocation reason from the cause.
 */
export function orderWithdrawal({ store, call, keyPrefix, isRevoking, report }: WithdrawalOptions) {
  let keyCount = 0;

  function findActive(orderId: string): Promise<FoundCertificate[]> {
    return call(async () => {
      const found: FoundCertificate[] = [];
      const order = { case: "orderId", value: orderId } as const;
      const query = { order, status: StatusFilter.ACTIVE };
      await listCertificates(
        store,
        query,
        Number.POSITIVE_INFINITY,
        (one) => found.push(one),
        () => undefined,
      );
      return found;
    });
  }

  /** @returns false if the certificate was revoked or expired in the meantime */
  async function revoke(certificateId: string, reason: WithdrawalReason): Promise<boolean> {
    const request = { certificateId, cause: causes[reason], idempotencyKey: `${keyPrefix}r${keyCount++}` };
    try {
      await call(() => store.lifecycle.revokeCertificate(request));
      return true;
    } catch (error) {
      if (toServiceError(error).code !== "failed_precondition") throw error;
      return false;
    }
  }

  return async ({ id, name, line, reason }: WithdrawnOrder): Promise<WithdrawalResult> => {
    let [found, revoked] = [0, 0];
    for (const certificate of await findActive(id)) {
      const isRevoked = isRevoking && (await revoke(certificate.id, reason));
      if (isRevoking && !isRevoked) continue;
      found += 1;
      if (isRevoked) revoked += 1;
      const verb = isRevoked ? "revoked" : "to be revoked";
      report(`line ${line}, order ${name} ${reason}: ${verb}: ${certificate.serial}  ${certificate.id}`);
    }
    return { found, revoked };
  };
}
