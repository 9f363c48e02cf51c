import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeConfig } from "../config.ts";
import { type RunningEdge, run } from "../run.ts";

/** An edge for tests, on free ports, whose registry's address refuses connections. */
export interface TestEdge extends RunningEdge {
  /** What was logged so far. */
  readonly log: readonly Record<string, unknown>[];
}

// Nobody may listen on port 1 without rights that tests do not have.
const refusingAddress = "127.0.0.1:1";

/** Starts one. @param clock default the machine's */
export async function startEdge(overrides: Partial<EdgeConfig> = {}, clock?: Clock): Promise<TestEdge> {
  const folder = mkdtempSync(join(tmpdir(), "edge-"));
  const keyFile = join(folder, "cursor-key");
  writeFileSync(keyFile, randomBytes(32));
  const log: Record<string, unknown>[] = [];
  const config: EdgeConfig = {
    host: "127.0.0.1",
    port: 0,
    operationsPort: 0,
    registryAddress: refusingAddress,
    registryTimeoutMs: 1_000,
    cursorKeyFiles: [keyFile],
    trustedProxies: [],
    connectionsMax: 1_000,
    connectionsPerAddressMax: 1_000,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 15_000,
    keepAliveTimeoutMs: 65_000,
    logLevel: "info",
    shutdownDelayMs: 0,
    shutdownGraceMs: 1_000,
    ...overrides,
  };
  const edge = await run(config, pino(linesInto(log)), clock === undefined ? {} : { clock });
  rmSync(folder, { recursive: true });
  return { ...edge, log };
}

function linesInto(log: Record<string, unknown>[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      log.push(JSON.parse(String(chunk)));
      done();
    },
  });
}
