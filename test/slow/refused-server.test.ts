import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { MongoClient } from "mongodb";
import { describe, expect, test } from "vitest";
import { expressionCase } from "../../deploy/local/servers/contract/expression-cases.ts";
import { requireContract } from "../../deploy/local/servers/contract/require-contract.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { SetupError } from "../../deploy/local/servers/setup-error.ts";
import { projectFolder } from "../../deploy/local/stack/service-process.ts";
import { databaseServers } from "../database-contract/servers.ts";
import { createTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { localServer, startOwnDatabase } from "../harness/own-database.ts";

const kind = "secantusd-py";
const missing = (await databaseServers()).find((server) => server.kind === kind)?.missing;
const nobody = "mongodb://127.0.0.1:1/?directConnection=true&serverSelectionTimeoutMS=200";

const sum = expressionCase("$add of integers", { $add: ["$count", 2] }, 5);
const wrong = expressionCase("$add of integers, as text", { $add: ["$count", 1] }, "four");

describe.skipIf(missing !== undefined)("a stand-in", () => {
  test("is refused for an expression that it evaluates differently, which the error names; the examined database is dropped", async () => {
    await using server = await startOwnDatabase({ env: localServer(kind) });
    await using folder = await createTemporaryFolder("contract-cache");
    const context = { env: { XDG_CACHE_HOME: folder.path }, log: () => undefined };
    const examine = (...cases: (typeof sum)[]) => requireContract(server.url, { kind, version: "1" }, context, cases);
    const refusal: unknown = await examine(sum, wrong).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SetupError);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(
        /^secantusd-py 1 does not behave like MongoDB, .*: set MONGODB_URI .*\$add of integers, as text: .* instead of "four"\.$/,
      ),
    });
    await using client = new MongoClient(server.url);
    const { databases } = await client.db().admin().listDatabases();
    expect(databases.filter(({ name }) => name.startsWith("contract_"))).toEqual([]);
  });

  test("is examined once per version, and again for cases that it has not passed", async () => {
    await using server = await startOwnDatabase({ env: localServer(kind) });
    await using folder = await createTemporaryFolder("contract-cache");
    const lines: string[] = [];
    const context = { env: { XDG_CACHE_HOME: folder.path }, log: (line: string) => void lines.push(line) };
    await requireContract(server.url, { kind, version: "1" }, context, [sum]);
    await requireContract(nobody, { kind, version: "1" }, context, [sum]);
    expect(lines).toEqual(["secantusd-py 1 behaves like MongoDB in 1 examined cases."]);
    await expect(requireContract(nobody, { kind, version: "2" }, context, [sum])).rejects.toThrow("ECONNREFUSED");
    await expect(requireContract(server.url, { kind, version: "1" }, context, [sum, wrong])).rejects.toThrow(
      wrong.name,
    );
  });

  test("that compares $$NOW with a stored date incorrectly is refused by `npm start`, which names the expression and leaves the data folder free for another server", async () => {
    await using folder = await createTemporaryFolder("refused-start");
    const preload = fileURLToPath(new URL("../database-contract/planted-case.ts", import.meta.url));
    const ports = ["--port", "--registry-port", "--receiver-port", "--shop-port"];
    const options = await Promise.all(ports.map(async (port) => [port, String(await freePort())]));
    const args = ["--import", preload, "deploy/local/start.ts", "--data", folder.path, ...options.flat()];
    const start = await execa(process.execPath, args, {
      cwd: projectFolder,
      env: localServer(kind),
      extendEnv: false,
      reject: false,
      all: true,
    });
    expect(start.all).toMatch(
      /secantusd-py \S+ does not behave like MongoDB, .* Different: \$gt of \$\$NOW and a stored date: false instead of true\.$/,
    );
    expect(start.exitCode).toBe(1);
    expect(await readdir(join(folder.path, "database"))).toEqual([]);
  });
});
