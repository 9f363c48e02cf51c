import { expect, test } from "vitest";
import { z } from "zod";
import { generateOperatorToken } from "#shared/operators/operator-token.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { openOperatorsFile, operatorEntryOf } from "../harness/operators-file.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const tokens = { ada: generateOperatorToken(), reader: generateOperatorToken() };
const { path } = await openOperatorsFile([
  operatorEntryOf({ actor: "ada", token: tokens.ada }),
  operatorEntryOf({ actor: "reader", token: tokens.reader, rights: ["inspect"] }),
]);
const registry = await openTestRegistry({ env: { REGISTRY_OPERATORS_FILE: path } });
const storeId = await createTestStore(registry);
const { apiUrl } = registry;
// Concerns all stores.
const quarantine = "DeliveryService/ListQuarantinedMessages";

const answer = z.looseObject({
  code: z.string().optional(),
  message: z.string().optional(),
  certificate: z.looseObject({ id: z.string(), status: z.string() }).optional(),
  entries: z.array(z.looseObject({ actor: z.string(), cause: z.string() })).optional(),
  results: z.array(z.looseObject({ outcome: z.string(), certificateId: z.string().optional() })).optional(),
});

/** Calls a method. @param body JSON, or the text to send */
async function call(method: string, body: unknown, token = tokens.ada) {
  const response = await fetch(`${apiUrl}/registry.v1.${method}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(method === quarantine ? {} : inStore(storeId).headers),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, ...answer.parse(await response.json()) };
}

async function issueOne(): Promise<string> {
  const { results } = await call("IssuingService/IssueCertificates", { items: [issueItem()] });
  return results?.[0]?.certificateId ?? "";
}

test("accepts a call as a POST request with a JSON body, returns the certificate's public JSON and records the actor", async () => {
  const certificateId = await issueOne();
  const revoked = await call("LifecycleService/RevokeCertificate", {
    certificateId,
    cause: "REVOCATION_CAUSE_REFUND",
  });
  expect(revoked).toMatchObject({ status: 200, certificate: { id: certificateId, status: "revoked" } });
  const { entries } = await call("InspectionService/GetHistory", { certificateId });
  expect(entries?.map(({ actor, cause }) => [actor, cause])).toEqual([
    ["ada", "manual"],
    ["ada", "refund"],
  ]);
});

test("names the invalid field when it refuses a request", async () => {
  const certificateId = await issueOne();
  const transfer = { certificateId, newOwnerName: "Ben", newOwnerEmail: "nobody" };
  expect(await call("LifecycleService/TransferCertificate", transfer)).toMatchObject({
    status: 400,
    code: "invalid_argument",
    message: expect.stringContaining("new_owner_email"),
  });
});

test("refuses a call without a token, with an unknown token, or without the required right", async () => {
  const certificateId = await issueOne();
  const revoke = { certificateId, cause: "REVOCATION_CAUSE_IN_APP" };
  for (const token of ["", generateOperatorToken(), tokens.reader])
    expect(await call("LifecycleService/RevokeCertificate", revoke, token)).toMatchObject({
      status: 401,
      code: "unauthenticated",
    });
  const { certificate } = await call("InspectionService/GetCertificate", { certificateId }, tokens.reader);
  expect(certificate?.status).toBe("active");
});

test("requires the `administer` right for DeliveryService", async () => {
  expect(await call(quarantine, {}, tokens.reader)).toMatchObject({ status: 401, code: "unauthenticated" });
  expect(await call(quarantine, {})).toMatchObject({ status: 200 });
});

test("responds with 404 to calls to internal methods", async () => {
  for (const method of [
    "EdgeService/ReturnAdmissions",
    "NotifierService/ClaimDeliveries",
    "VerificationService/RecordVerification",
  ]) {
    const response = await fetch(`${apiUrl}/registry.v1.${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tokens.ada}` },
      body: "{}",
    });
    expect(response.status, method).toBe(404);
  }
});

test.each([["{"], ['{"certificateIdd":"x"}'], ['{"cause":7.5}'], ["[]"]])(
  "rejects an invalid body: %s",
  async (body) => {
    expect(await call("LifecycleService/RevokeCertificate", body)).toMatchObject({
      status: 400,
      code: "invalid_argument",
    });
  },
);
