import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DryMongoBinary } from "mongodb-memory-server";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { databaseKindVariable } from "./database-plan.ts";
import { findDatabase } from "./database-program.ts";
import { downloadFolder } from "./memory-server-binary.ts";

let home: string;
let lines: string[];

beforeEach(async () => {
  home = await openTemporaryFolder("memory-server", onTestFinished);
  lines = [];
});
afterEach(async () => {
  DryMongoBinary.binaryCache.clear();
});

const context = (env: NodeJS.ProcessEnv = {}) => {
  const log = (line: string) => void lines.push(line);
  return { env: { PATH: join(home, "programs"), XDG_CACHE_HOME: home, ...env }, log, signal: undefined };
};

/** Places a mongod that behaves as the script says where mongodb-memory-server would have downloaded one. */
async function installDownload(script: string): Promise<string> {
  const downloadDir = downloadFolder(context().env);
  const options = await DryMongoBinary.generateOptions({ ...DryMongoBinary.getEnsuredOptions(), downloadDir });
  const { resolveConfig: path } = await DryMongoBinary.generatePaths(options);
  await mkdir(dirname(path), { recursive: true });
  // A file below 1 MiB or without a checksum counts as an interrupted download.
  await writeFile(path, `#!/bin/sh\n${script}\nexit 0\n${"#".repeat(2 ** 20)}\n`, { mode: 0o755 });
  await writeFile(`${path}.md5`, "");
  return path;
}

/** Puts a fast stand-in on the PATH. */
async function installStandIn(): Promise<void> {
  await mkdir(join(home, "programs"));
  await writeFile(join(home, "programs", "secantusd-rs"), "#!/bin/sh\necho secantusd-rs 1\n", { mode: 0o755 });
}

const withoutLibrary = "echo 'error while loading shared libraries: libcurl.so.4' >&2; exit 127";

test("uses a downloaded mongod that reports its version", async () => {
  const path = await installDownload("echo db version v8.2.1");
  await installStandIn();
  expect(await findDatabase(context(), { buildFast: false })).toMatchObject({ kind: "memory-server", path });
});

test.each([
  ["lacks a library", withoutLibrary, /failed with code 127\n.*libcurl\.so\.4$/],
  ["needs another processor", "kill -ILL $$", /was killed by SIGILL$/],
  ["is too old", "echo db version v6.0.4", /is version 6, and MongoDB 7 or newer is required\.$/],
])("uses the next server, and logs the reason, if the downloaded mongod %s", async (_, script, reason) => {
  const path = await installDownload(script);
  await installStandIn();
  expect(await findDatabase(context(), { buildFast: false })).toMatchObject({ kind: "secantusd-rs" });
  expect(lines).toEqual([expect.stringMatching(reason)]);
  expect(lines[0]).toContain(`memory-server is skipped: ${path} `);
});

test("fails, and states the reason, if only the downloaded mongod is allowed and it cannot run", async () => {
  await installDownload(withoutLibrary);
  const forced = context({ [databaseKindVariable]: "memory-server" });
  await expect(findDatabase(forced, { buildFast: false })).rejects.toThrow(/is not available.*Attempts:\n/s);
  expect(lines[0]).toContain("libcurl.so.4");
});
