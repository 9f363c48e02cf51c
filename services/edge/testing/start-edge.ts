import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { type EdgeConfig, edgeConfig } from "../config.ts";
import { type EdgeOptions, type RunningEdge, run } from "../run.ts";

/** An edge that listens on free ports; its default registry address refuses connections. */
export interface TestEdge extends RunningEdge {
  /** The parsed log lines written so far. */
  readonly log: readonly Record<string, unknown>[];
}

// No test listens on port 1, which requires privileges.
const refusingAddress = "127.0.0.1:1";

/** A clock whose time stands still, so that token buckets are not refilled; its `sleep` takes real time. */
export const stoppedClock: Clock = { ...steadyClock, now: () => 0 };

interface TestEdgeOptions extends EdgeOptions {
  /** Default: a monotonic clock. */
  readonly clock?: Clock;
  /** Registers the function that stops the edge. Default: {@link atEnd}. */
  readonly onEnd?: (stop: () => Promise<void>) => void;
}

/** Starts an edge as {@link startEdge} does, and stops it at the end. */
export async function openTestEdge(
  overrides: Partial<EdgeConfig> = {},
  { clock, onEnd = atEnd, ...options }: TestEdgeOptions = {},
): Promise<TestEdge> {
  const edge = await startEdge(overrides, clock, options);
  onEnd(edge.stop);
  return edge;
}

/**
 * Starts an edge with a random cursor key; `clock` defaults to a monotonic clock. A request gets 503 after a second
 * without a registry; with one, a busy machine has a minute to serve it.
 */
export async function startEdge(
  overrides: Partial<EdgeConfig> = {},
  clock?: Clock,
  options?: EdgeOptions,
): Promise<TestEdge> {
  const folder = mkdtempSync(join(tmpdir(), "edge-"));
  try {
    const keyFile = join(folder, "cursor-key");
    writeFileSync(keyFile, randomBytes(32));
    const required = { EDGE_REGISTRY_ADDRESS: refusingAddress, EDGE_CURSOR_KEY_FILES: keyFile, EDGE_GRPC_TLS: "off" };
    const config: EdgeConfig = {
      ...edgeConfig.load(required),
      host: "127.0.0.1",
      port: 0,
      operationsPort: 0,
      registryTimeoutMs: overrides.registryAddress === undefined ? 1_000 : 60_000,
      connectionsMax: 1_000,
      shutdownGraceMs: 1_000,
      ...overrides,
    };
    const { logger, lines: log } = captureLog();
    const edge = await run(config, logger, clock, options);
    return { ...edge, log };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
