import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { admin } = registry;

test("of two changes of a webhook that expect the same version, one is made and the other refused", async () => {
  const scope = inStore(await createTestStore(registry));
  const urls = ["https://one.example.test/hook", "https://two.example.test/hook"];
  const refusal = { code: Code.AlreadyExists };
  const change = async (expectedVersion: string) => {
    const made = await Promise.allSettled(urls.map((url) => admin.setWebhook({ url, expectedVersion }, scope)));
    const refused = made.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused).toMatchObject([refusal]);
    const { webhook } = await admin.getWebhook({}, scope);
    expect(webhook?.url).toBe(urls[made.findIndex(({ status }) => status === "fulfilled")]);
    return webhook?.version ?? "";
  };
  const first = await change("");
  await expect(admin.setWebhook({ url: "", expectedVersion: "" }, scope)).rejects.toMatchObject(refusal);
  await admin.setWebhook({ url: "https://three.example.test/hook" }, scope);
  const { webhook: third } = await admin.getWebhook({}, scope);
  const late = { url: "https://late.example.test/hook", expectedVersion: first };
  await expect(admin.setWebhook(late, scope)).rejects.toMatchObject(refusal);
  await change(third?.version ?? "");
});

test("each change of the format or of the live secrets changes a webhook's version", async () => {
  const scope = inStore(await createTestStore(registry));
  const url = "https://one.example.test/hook";
  const set = async (fields: object) => (await admin.setWebhook({ url, ...fields }, scope)).webhook?.version;
  const rotate = async (step: RotationStep) => (await admin.rotateWebhookSecret({ step }, scope)).webhook?.version;
  const unsigned = await set({});
  expect(unsigned).toHaveLength(16);
  const { BEGIN, SWITCH, FINISH } = RotationStep;
  const versions = [unsigned, await set({ createSecret: true })];
  for (const step of [BEGIN, SWITCH, FINISH]) versions.push(await rotate(step));
  expect(await set({})).toBe(versions.at(-1));
  versions.push(await set({ format: WebhookFormat.V1 }));
  expect(new Set(versions).size).toBe(6);
  await rotate(RotationStep.REMOVE);
  expect(await set({ format: WebhookFormat.V2 })).toBe(unsigned);
});
