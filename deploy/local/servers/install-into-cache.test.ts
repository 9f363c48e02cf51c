import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { type CacheEntry, installIntoCache } from "./install-into-cache.ts";

let home: string;
let folder: string;
const lines: string[] = [];
const context = () => ({
  env: { XDG_CACHE_HOME: home },
  log: (line: string) => lines.push(line),
  signal: undefined,
});

beforeEach(async () => {
  home = await openTemporaryFolder("cache", onTestFinished);
  folder = join(home, "certificate-registry");
  lines.length = 0;
});

function install(work: CacheEntry["install"]): Promise<string> {
  const isComplete = async (path: string) => existsSync(join(path, "file"));
  return installIntoCache({ name: "thing-1.0", isComplete, install: work }, context());
}
const writeComplete = (part: string) => writeFile(join(part, "file"), "content");

test("installs once for concurrent callers, which all receive the same complete folder", async () => {
  let installations = 0;
  const slowly = async (part: string) => {
    installations++;
    await delay(50);
    await writeComplete(part);
  };
  const folders = await Promise.all([1, 2, 3].map(() => install(slowly)));
  expect(new Set(folders)).toEqual(new Set([join(folder, "thing-1.0")]));
  expect(await readFile(join(folder, "thing-1.0", "file"), "utf8")).toBe("content");
  expect(installations).toBe(1);
  expect(await readdir(folder)).toEqual(["thing-1.0"]);
});

test("removes a failed installation, and succeeds on the next attempt", async () => {
  const failing = async (part: string) => {
    await writeFile(join(part, "half"), "");
    throw new Error("no network");
  };
  await expect(install(failing)).rejects.toThrow("no network");
  await expect(install(async () => undefined)).rejects.toThrow("not complete");
  expect(await readdir(folder)).toEqual([]);
  await install(writeComplete);
  expect(await readdir(folder)).toEqual(["thing-1.0"]);
});

test("takes over a lock that is no longer refreshed, and removes an interrupted installation", async () => {
  await mkdir(join(folder, "thing-1.0.part-x1"), { recursive: true });
  const lock = join(folder, "thing-1.0.lock");
  await mkdir(lock);
  const old = new Date(Date.now() - 60_000);
  await utimes(lock, old, old);
  await install(writeComplete);
  expect(await readdir(folder)).toEqual(["thing-1.0"]);
});
