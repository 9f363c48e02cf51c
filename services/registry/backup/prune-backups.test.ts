import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { writeSummary } from "../mongo/backup/backup-files.ts";
import { backupName, pruneBackups } from "./prune-backups.ts";

/** Creates a folder with subfolders. A `!` after a name marks a complete backup and is not part of the name. */
async function folderWith(...names: string[]): Promise<string> {
  const folder = await openTemporaryFolder("prune-backups", onTestFinished);
  for (const name of names) {
    const backup = path.join(folder, name.replace("!", ""));
    await mkdir(backup);
    if (name.endsWith("!")) await writeSummary(backup, { takenAt: "2026-11-22T08:00:00.000Z", counts: {} });
  }
  return folder;
}

const at = (hour: number) => backupName(new Date(Date.UTC(2026, 10, 22, hour)));

test("names a backup after its time, with hyphens in place of colons and the decimal point", () => {
  expect(backupName(new Date("2026-11-22T08:30:05.123Z"))).toBe("2026-11-22T08-30-05-123Z");
});

test("keeps the newest complete backups, and deletes older ones", async () => {
  const folder = await folderWith(`${at(1)}!`, `${at(2)}!`, `${at(3)}!`);
  expect(await pruneBackups(folder, 2, at(3))).toEqual([at(1)]);
  expect(await readdir(folder)).toEqual([at(2), at(3)]);
});

test("deletes an incomplete backup only if it is older than the one that was just saved, and never counts it", async () => {
  const folder = await folderWith(`${at(1)}!`, at(2), `${at(3)}!`, at(4));
  expect(await pruneBackups(folder, 2, at(3))).toEqual([at(2)]);
  expect(await readdir(folder)).toEqual([at(1), at(3), at(4)]);
});

test("keeps the backup that was just saved although a clock that was ahead has given others later names", async () => {
  const folder = await folderWith(`${at(1)}!`, `${at(2)}!`, `${at(22)}!`, `${at(23)}!`);
  expect(await pruneBackups(folder, 2, at(2))).toEqual([at(1), at(22)]);
  expect(await readdir(folder)).toEqual([at(2), at(23)]);
});

test("before a backup, deletes what is more than the newest to keep, and incomplete ones older than these", async () => {
  const folder = await folderWith(`${at(1)}!`, at(2), `${at(3)}!`, `${at(4)}!`, at(5));
  expect(await pruneBackups(folder, 2)).toEqual([at(1), at(2)]);
  expect(await readdir(folder)).toEqual([at(3), at(4), at(5)]);
});

test("deletes nothing if no backup is complete, or the folder does not exist", async () => {
  const folder = await folderWith(at(1));
  expect(await pruneBackups(folder, 1)).toEqual([]);
  expect(await pruneBackups(path.join(folder, "missing"), 1)).toEqual([]);
  expect(await readdir(folder)).toEqual([at(1)]);
});

test("ignores folders that are not named like backups", async () => {
  const folder = await folderWith("lost+found", "2026!", `${at(1)}!`);
  expect(await pruneBackups(folder, 1, at(1))).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(["2026", at(1), "lost+found"]);
});
