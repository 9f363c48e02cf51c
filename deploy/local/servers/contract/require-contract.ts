import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { resultOf } from "../../../../services/registry/diagnostics/check.ts";
import { collectionsOf } from "../../../../services/registry/mongo/documents/collections.ts";
import { connectMongo } from "../../../../services/registry/mongo/opening/connect-mongo.ts";
import { databaseRemedy } from "../database-program.ts";
import { cacheFolder } from "../install-into-cache.ts";
import type { Program } from "../program.ts";
import type { ServerOptions } from "../running-server.ts";
import { SetupError } from "../setup-error.ts";
import type { ContractCase } from "./contract-case.ts";
import { databaseContract } from "./database-contract.ts";

const names = z.array(z.string());

/**
 * Examines whether a stand-in behaves like MongoDB. The cache remembers which cases a version has passed, so that only
 * the first start takes longer.
 *
 * @param cases default: {@link databaseContract}
 * @throws SetupError that names the first expression or command with a different result
 */
export async function requireContract(
  serverUrl: string,
  { kind, version = "unknown" }: Pick<Program, "kind" | "version">,
  { env = process.env, log }: Pick<ServerOptions, "env" | "log">,
  cases: readonly ContractCase[] = databaseContract,
): Promise<void> {
  const passedFile = join(cacheFolder(env), "database-contract", `${kind}-${version}.json`);
  const passed = await readNames(passedFile);
  const open = cases.filter(({ name }) => !passed.has(name));
  if (open.length === 0) return;
  await examine(serverUrl, `${kind} ${version}`, open);
  log(`${kind} ${version} behaves like MongoDB in ${open.length} examined cases.`);
  // Another binary on the PATH may also be of an unknown version.
  if (version === "unknown") return;
  await mkdir(dirname(passedFile), { recursive: true });
  await writeFile(passedFile, JSON.stringify(cases.map(({ name }) => name)));
}

/** Examines the cases in a new database, which is dropped at the end. @throws SetupError for a different result */
async function examine(serverUrl: string, server: string, cases: readonly ContractCase[]): Promise<void> {
  const url = new URL(serverUrl);
  url.pathname = `/contract_${randomBytes(8).toString("hex")}`;
  const client = await connectMongo(url.href);
  try {
    const rig = { uri: url.href, client, collections: collectionsOf(client.db()) };
    for (const one of cases) {
      const { result, seen } = await resultOf(one, rig);
      if (result === "failed")
        throw new SetupError(
          `${server} does not behave like MongoDB, so the registry could run incorrectly on it: ${databaseRemedy}. Different: ${one.name}: ${seen}.`,
        );
    }
  } finally {
    await client.db().dropDatabase();
    await client.close();
  }
}

/** Returns the cases that a version has passed; empty if the file is missing or invalid. */
async function readNames(file: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(names.parse(JSON.parse(await readFile(file, "utf8"))));
  } catch {
    return new Set();
  }
}
