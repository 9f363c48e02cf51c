import type { Program, ProgramSource } from "../program.ts";
import type { SetupContext } from "../setup-context.ts";
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

/** Returns the fast stand-in as a standalone server, which lacks transactions; undefined when it is not installed. */
export async function findStandaloneStandIn(context: SetupContext): Promise<Program | undefined> {
  const program = await findSecantusRust(context);
  if (program === undefined) return undefined;
  const launch: Program["launch"] = async (place) => {
    const { args, ...rest } = await program.launch(place);
    return { ...rest, args: [...args, "--standalone"] };
  };
  return { ...program, launch };
}
