import { Server, ServerCredentials } from "@grpc/grpc-js";
import { HealthImplementation, service } from "grpc-health-check";
import { expect, onTestFinished, test } from "vitest";
import { createHealthCheck } from "./check-registry-health.ts";

type Status = "SERVING" | "NOT_SERVING" | "FROZEN";

/** Starts a registry that reports a status, or never answers. @returns its address */
async function startReporting(status: Status): Promise<string> {
  const server = new Server();
  onTestFinished(() => server.forceShutdown());
  if (status === "FROZEN") server.addService(service, { Check: () => undefined });
  else new HealthImplementation({ "": status }).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return `127.0.0.1:${port}`;
}

async function checkAll(...statuses: Status[]) {
  const addresses: string[] = [];
  for (const status of statuses) addresses.push(await startReporting(status));
  const health = createHealthCheck(`ipv4:${addresses.join(",")}`);
  onTestFinished(() => health.close());
  return health;
}

const notServing = "the registry reports that it is not serving";

test.each<[Status, Status]>([
  ["NOT_SERVING", "SERVING"],
  ["SERVING", "NOT_SERVING"],
])("the registry is serving while one of two replicas serves: %s, %s", async (...statuses) => {
  const health = await checkAll(...statuses);
  await expect.poll(() => health.problem()).toBeUndefined();
  for (let check = 0; check < 5; check++) expect(await health.problem()).toBeUndefined();
});

test("the registry is serving while one of two replicas is frozen", async () => {
  const health = await checkAll("FROZEN", "SERVING");
  await expect.poll(() => health.problem()).toBeUndefined();
  // The replicas are asked in turn.
  expect([await health.problem(), await health.problem()]).toEqual([undefined, undefined]);
});

test("reports that the registry is not serving if no replica serves", async () => {
  const health = await checkAll("NOT_SERVING", "NOT_SERVING");
  expect(await health.problem()).toBe(notServing);
});

test("reports why no replica can be reached", async () => {
  const health = createHealthCheck("127.0.0.1:1");
  onTestFinished(() => health.close());
  expect(await health.problem()).toMatch(/ECONNREFUSED/);
});
