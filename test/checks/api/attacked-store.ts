import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService, RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { systemClock } from "#shared/time/clock.ts";
import { issueItem } from "../../harness/issue-items.ts";
import { createTestStore } from "../../harness/test-stores.ts";

const callTimeoutMs = 30_000;
const dayMs = 86_400_000;
const certificateCount = 150;

/**
 * Creates a store with certificates in every state, among them the ones that the description's examples ask for.
 *
 * @returns its API key
 */
export async function createAttackedStore(registryAddress: string): Promise<string> {
  const transport = createGrpcClient({ address: registryAddress, timeoutMs: callTimeoutMs });
  try {
    const admin = createClient(StoreAdminService, transport);
    const storeId = await createTestStore({ admin });
    const items = Array.from({ length: certificateCount }, (_, index) =>
      issueItem({
        buyer: {
          name: "Ada Example",
          email: index % 3 === 0 ? "ada@example.com" : `buyer${index}@example.com`,
        },
        ...(index % 4 === 0
          ? {}
          : { order: { id: String(4_500_000 + index), name: `#${1_000 + index}`, line: "1", unit: 1 } }),
        ...(index % 5 === 0 ? { expiresAt: timestampFromMs(systemClock.now() - dayMs) } : {}),
      }),
    );
    const issuing = createClient(IssuingService, transport);
    const { results } = await issuing.issueCertificates({ storeId, items });
    const lifecycle = createClient(LifecycleService, transport);
    for (const { certificateId } of results.slice(1, 5))
      await lifecycle.revokeCertificate({ storeId, certificateId, cause: RevocationCause.REFUND });
    return (await admin.createApiKey({ storeId, label: "attack" })).apiKey;
  } finally {
    transport.close();
  }
}
