import { open, readFile } from "node:fs/promises";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { describeError, lastErrorIn } from "./describe-error.ts";
import { exitCodeOf } from "./exit-codes.ts";

async function failureOfCallTo(address: string): Promise<unknown> {
  const transport = createGrpcClient({ address, timeoutMs: 10_000 });
  const failure = await createClient(StoreAdminService, transport)
    .listStores({})
    .catch((cause: unknown) => cause);
  transport.close();
  return failure;
}

test("states why the registry cannot be reached, without the words that grpc-js adds", async () => {
  // No program listens on this port, and no other test of the process calls it: see lastErrorIn.
  const address = "127.0.0.1:3";
  expect(describeError(await failureOfCallTo(address), "the default")).toMatchObject({
    code: "unavailable",
    message: `The registry cannot be reached: connect ECONNREFUSED ${address} (registry: the default)`,
  });
});

test.each([
  ["/missing.csv", "The file /missing.csv does not exist."],
  ["/missing/rejects.csv", "The folder /missing does not exist."],
  ["/dev/null/orders.csv", "/dev/null is not a folder."],
])("names the missing file or folder if %s cannot be opened, with exit code 2", async (path, message) => {
  const described = describeError(await open(path).catch((cause: unknown) => cause), "");
  expect([described.message, exitCodeOf(described)]).toEqual([message, 2]);
});

test("a folder in place of a file has exit code 2", async () => {
  expect(exitCodeOf(describeError(await readFile("/dev").catch((cause: unknown) => cause), ""))).toBe(2);
});

test.each([
  [badRequest("buyer.email", reason("email_invalid")), "--email is invalid: The value is not an email address."],
  [badRequest("limit", "must be 1 to 100"), "limit must be 1 to 100"],
])("names the option instead of the field, if one sets it", (error, message) => {
  const described = describeError(error, "", (field) => (field === "buyer.email" ? "--email" : undefined));
  expect(described).toMatchObject({ message, code: "bad_request", field: error.field });
});

const refused = "connect ECONNREFUSED 127.0.0.1:1";
test.each([
  [`round_robin: No connection established. Last error: Error: ${refused}. Resolution note: `, refused],
  [`No connection established. Last error: a. Last error: ${refused} (2026-11-22T20:12:59.123Z)`, refused],
  ["No connection established. Last error: null. Resolution note: ", "no connection could be opened"],
  ["Name resolution failed for target dns:registry", "Name resolution failed for target dns:registry"],
])("takes the cause from %j", (message, cause) => {
  expect(lastErrorIn(message)).toBe(cause);
});
