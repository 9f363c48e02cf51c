import { Server } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import { expect, onTestFinished, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { systemClock } from "#shared/time/clock.ts";
import { closeGrpc, listenGrpc } from "../../../test/harness/grpc-listen.ts";
import { createHealthCheck } from "./check-registry-health.ts";
import { RegistryWatch } from "./registry-watch.ts";

const { logger, lines } = captureLog();

async function startRegistry(port: number) {
  const server = new Server();
  const health = new HealthImplementation({ "": "SERVING" });
  health.addToServer(server);
  const bound = await listenGrpc(server, `127.0.0.1:${port}`);
  const stop = () => closeGrpc(server, 0);
  onTestFinished(stop);
  return { health, port: bound, stop };
}

function watch(port: number): RegistryWatch {
  const health = createHealthCheck(`127.0.0.1:${port}`);
  const watching = new RegistryWatch({ health, clock: systemClock, logger, intervalMs: 20 });
  watching.start();
  onTestFinished(async () => {
    await watching.stop();
    health.close();
  });
  return watching;
}

const patient = { timeout: 25_000, interval: 10 };

test("opens its latch while the registry is serving, and closes it while the registry is unreachable or not serving", async () => {
  const first = await startRegistry(0);
  const watching = watch(first.port);
  expect(watching.available.isOpen).toBe(false);
  await expect.poll(() => watching.available.isOpen, patient).toBe(true);
  await first.stop();
  await expect.poll(() => watching.available.isOpen, patient).toBe(false);
  const second = await startRegistry(first.port);
  await expect.poll(() => watching.available.isOpen, patient).toBe(true);
  second.health.setStatus("", "NOT_SERVING");
  await expect.poll(() => watching.available.isOpen, patient).toBe(false);
  second.health.setStatus("", "SERVING");
  await expect.poll(() => watching.available.isOpen, patient).toBe(true);
});

test("logs why it is waiting for the registry", async () => {
  lines.length = 0;
  const waiting = { level: 40, reason: expect.stringContaining("ECONNREFUSED"), msg: "waiting for the registry" };
  watch(1);
  await expect.poll(() => lines, patient).toContainEqual(expect.objectContaining(waiting));
});

test("closes its latch after a failed call until the next successful check, even without a health service", async () => {
  const server = new Server();
  onTestFinished(() => closeGrpc(server, 0));
  const watching = watch(await listenGrpc(server, "127.0.0.1:0"));
  await expect.poll(() => watching.available.isOpen, patient).toBe(true);
  watching.reportFailure(new Error("unavailable"));
  expect(watching.available.isOpen).toBe(false);
  await expect.poll(() => watching.available.isOpen, patient).toBe(true);
});
