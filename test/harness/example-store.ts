import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { issueItem } from "./issue-items.ts";
import { connectRegistry } from "./stack/registry-clients.ts";
import { createTestStore } from "./test-stores.ts";

const dayMs = 86_400_000;
const certificateCount = 150;

/**
 * Creates a store with certificates in every state, including those that the examples of the API description request.
 *
 * @returns its API key
 */
export async function createExampleStore(registryAddress: string): Promise<string> {
  const { admin, issuing, lifecycle, close } = connectRegistry(registryAddress);
  try {
    const storeId = await createTestStore({ admin });
    const items = Array.from({ length: certificateCount }, (_, index) =>
      issueItem({
        buyer: { email: index % 3 === 0 ? "ada@example.com" : `buyer${index}@example.com` },
        ...(index % 4 === 0 ? {} : { order: { id: String(4_500_000 + index), name: `#${1_000 + index}` } }),
        ...(index % 5 === 0 ? { expiresAt: timestampFromMs(systemClock.now() - dayMs) } : {}),
      }),
    );
    const { results } = await issuing.issueCertificates({ storeId, items });
    for (const { certificateId } of results.slice(1, 5))
      await lifecycle.revokeCertificate({ storeId, certificateId, cause: RevocationCause.REFUND });
    return (await admin.createApiKey({ storeId, label: "example" })).apiKey;
  } finally {
    close();
  }
}
