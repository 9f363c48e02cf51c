import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { describeError } from "./describe-error.ts";

test("states why the registry cannot be reached, without the words that grpc-js adds", async () => {
  // No test listens on port 1, which requires privileges.
  const transport = createGrpcClient({ address: "127.0.0.1:1", timeoutMs: 2_000 });
  const error = await createClient(StoreAdminService, transport)
    .listStores({})
    .catch((cause: unknown) => cause);
  transport.close();
  expect(describeError(error, "127.0.0.1:1 (the default)")).toMatchObject({
    code: "unavailable",
    message: "The registry cannot be reached: connect ECONNREFUSED 127.0.0.1:1 (registry: 127.0.0.1:1 (the default))",
  });
});
