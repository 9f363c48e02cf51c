import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { inStore } from "./in-store.ts";
import { issueItem } from "./issue-items.ts";
import type { StackRegistry } from "./stack/start-stack.ts";
import { createTestApiKey, createTestStore } from "./test-stores.ts";
import { whenAvailable } from "./when-available.ts";

const certificateCount = 150;
// An expiry must be in the future when the certificate is issued, which takes many seconds on a busy machine.
const expiriesAfterMs = [3_000, 10_000, 60_000];

/**
 * Creates a store with certificates in every state, including some that match the example filters of the API
 * description.
 *
 * @param connect creates clients of the registry
 * @returns an API key of the store
 */
export async function createExampleStore(connect: StackRegistry["connect"]): Promise<string> {
  const { admin, issuing, lifecycle, close } = connect();
  try {
    let refusal: string | undefined;
    for (const expiresAfterMs of expiriesAfterMs) {
      const storeId = await createTestStore({ admin });
      const expiresAtMs = systemClock.now() + expiresAfterMs;
      const items = exampleItems(expiresAtMs);
      const { results } = await whenAvailable(() => issuing.issueCertificates({ items }, inStore(storeId)));
      const refused = results.find(({ outcome }) => outcome !== IssueOutcome.ISSUED);
      refusal = refused?.reason?.text;
      if (refused !== undefined) continue;
      for (const { certificateId } of results.slice(1, 5))
        await lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
      const { apiKey } = await createTestApiKey({ admin }, storeId);
      await systemClock.sleep(expiresAtMs - systemClock.now());
      return apiKey;
    }
    throw new Error(`the registry did not issue a certificate: ${refusal}`);
  } finally {
    close();
  }
}

function exampleItems(expiresAtMs: number) {
  return Array.from({ length: certificateCount }, (_, index) =>
    issueItem({
      buyer: { email: index % 3 === 0 ? "ada@example.com" : `buyer${index}@example.com` },
      ...(index % 4 === 0 ? {} : { order: { id: String(4_500_000 + index), name: `#${1_000 + index}` } }),
      ...(index % 5 === 0 ? { expiresAt: timestampFromMs(expiresAtMs) } : {}),
    }),
  );
}
