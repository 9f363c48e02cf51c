import type { ProgramSource } from "../program.ts";
import { buildSecantusRust, findSecantusRust } from "./secantus-rust.ts";
import { findSecantusWheel, installSecantusWheel } from "./secantus-wheel.ts";

/**
 * Servers that stand in for MongoDB where it is neither installed nor downloadable: SecantusDB, built with cargo
 * (fast; takes minutes to build) or installed with pip (slow; takes seconds to install).
 */
export const standInDatabases = {
  "secantusd-rs": { find: findSecantusRust, install: buildSecantusRust },
  "secantusd-py": { find: findSecantusWheel, install: installSecantusWheel },
} satisfies Record<string, ProgramSource>;

/** Returns whether a kind of server stands in for MongoDB. */
export const isStandIn = (kind: string): boolean => Object.hasOwn(standInDatabases, kind);
