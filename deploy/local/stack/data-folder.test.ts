import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { openDataFolder, readPreviousFacts, writeDemoFacts } from "./data-folder.ts";
import { demoFacts as facts } from "./demo-facts-fixture.ts";

const root = await openTemporaryFolder("data-folder", afterAll);
const folder = await openDataFolder(root, false);

const previous = {
  api_key: "crk_1",
  database_server: "mongod",
  receiver_url: "https://127.0.0.1:8443/webhooks",
};

test("stores all facts for scripts, and reads back only the facts that the next start needs", async () => {
  writeDemoFacts(folder, facts);
  expect(JSON.parse(await readFile(folder.demoFile, "utf8"))).toEqual(facts);
  expect(readPreviousFacts(folder)).toEqual(previous);
});

test("replaces the facts at once, so that a reader or a full disk never meets a part of them", async () => {
  writeDemoFacts(folder, facts);
  await using reader = await open(folder.demoFile);
  writeDemoFacts(folder, { ...facts, api_key: "crk_2" });
  expect(JSON.parse(await reader.readFile("utf8"))).toEqual(facts);
  expect(readPreviousFacts(folder)).toEqual({ ...previous, api_key: "crk_2" });
});

test("removes what killed starts have left of the facts, but neither the file of a concurrent start nor any other", async () => {
  const left = path.join(root, "left");
  await mkdir(left);
  const longAgo = new Date(Date.now() - 3_600_000);
  const write = async (name: string, writtenAt: Date) => {
    await writeFile(path.join(left, name), "{}");
    await utimes(path.join(left, name), writtenAt, writtenAt);
  };
  const concurrent = `demo.json.${randomUUID()}`;
  const others = [`other.json.${randomUUID()}`, `demo.json.${randomUUID()}.mine`, "demo.json.backup", "demo.json"];
  for (const name of [`demo.json.${randomUUID()}`, `demo.json.${randomUUID()}`, ...others]) await write(name, longAgo);
  await write(concurrent, new Date());
  const { database, messages, secrets, mirror, logs } = await openDataFolder(left, false);
  const folders = [database, messages, secrets, mirror, logs].map((each) => path.basename(each));
  expect(new Set(await readdir(left))).toEqual(new Set([...folders, ...others, concurrent]));
});

test("reads only the values that the next start reuses", async () => {
  const old = {
    ...previous,
    base_url: "http://127.0.0.1:8080",
    registry_address: "a:1",
    shop: "demo.example",
  };
  await writeFile(folder.demoFile, JSON.stringify(old));
  expect(readPreviousFacts(folder)).toEqual(previous);
});

test("restricts the data folder to its owner, even if everyone could read it", async () => {
  await chmod(root, 0o755);
  await openDataFolder(root, false);
  expect((await stat(root)).mode & 0o777).toBe(0o700);
  const fresh = path.join(root, "fresh");
  await openDataFolder(fresh, true);
  expect((await stat(fresh)).mode & 0o777).toBe(0o700);
});

test("keepNewFilesPrivate makes files of the process and its children accessible only to their owner", async () => {
  // A separate process, because the setting applies to the whole process.
  const program = `
    import { spawnSync } from "node:child_process";
    import { writeFileSync } from "node:fs";
    import { keepNewFilesPrivate } from ${JSON.stringify(new URL("data-folder.ts", import.meta.url).href)};
    keepNewFilesPrivate();
    writeFileSync("own", "");
    spawnSync(process.execPath, ["-e", "require('node:fs').mkdirSync('data'); require('node:fs').writeFileSync('data/child', '')"]);
  `;
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  const modes = await Promise.all(
    ["own", "data", "data/child"].map(async (name) => (await stat(path.join(root, name))).mode & 0o777),
  );
  expect(modes).toEqual([0o600, 0o700, 0o600]);
});
