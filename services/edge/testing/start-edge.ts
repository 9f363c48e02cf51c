import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import type { Clock } from "#shared/time/clock.ts";
import { type EdgeConfig, loadConfig } from "../config.ts";
import { type RunningEdge, run } from "../run.ts";

/** An edge for tests on free ports; by default its registry address refuses connections. */
export interface TestEdge extends RunningEdge {
  /** All log lines so far. */
  readonly log: readonly Record<string, unknown>[];
}

// Tests lack the privilege to listen on port 1.
const refusingAddress = "127.0.0.1:1";

/** Starts an edge. @param clock default: the system clock */
export async function startEdge(overrides: Partial<EdgeConfig> = {}, clock?: Clock): Promise<TestEdge> {
  const folder = mkdtempSync(join(tmpdir(), "edge-"));
  const keyFile = join(folder, "cursor-key");
  writeFileSync(keyFile, randomBytes(32));
  const log: Record<string, unknown>[] = [];
  const required = { EDGE_REGISTRY_ADDRESS: refusingAddress, EDGE_CURSOR_KEY_FILES: keyFile };
  const config: EdgeConfig = {
    ...loadConfig(required),
    host: "127.0.0.1",
    port: 0,
    operationsPort: 0,
    registryTimeoutMs: 1_000,
    connectionsMax: 1_000,
    shutdownGraceMs: 1_000,
    ...overrides,
  };
  const edge = await run(config, pino(linesInto(log)), clock);
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
