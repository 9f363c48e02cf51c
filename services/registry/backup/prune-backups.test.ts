import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { volumeTimeMs, volumeTimeName, writeSummary } from "../mongo/backup/backup-files.ts";
import { backupName, pruneBackups } from "./prune-backups.ts";

/** Creates a folder with subfolders. A `!` after a name marks a complete backup and is not part of the name. */
async function folderWith(...names: string[]): Promise<string> {
  const folder = await openTemporaryFolder("prune-backups", onTestFinished);
  for (const name of names) {
    const backup = path.join(folder, name.replace("!", ""));
    await mkdir(backup);
    await writeFile(path.join(backup, "stores.bson"), "");
    if (name.endsWith("!")) writeSummary(backup, { takenAt: "2026-11-22T08:00:00.000Z", counts: {} });
  }
  return folder;
}

const prune = (folder: string, keep?: number, saved?: string) => pruneBackups(folder, { keep, saved });

/** Makes it look as if a backup's folder, or a file in it, had last been changed some minutes ago. */
async function ageOf(minutes: number, ...parts: string[]): Promise<void> {
  const time = new Date(Date.now() - minutes * 60_000);
  await utimes(path.join(...parts), time, time);
}

async function abandon(minutes: number, folder: string, name: string): Promise<void> {
  await ageOf(minutes, folder, name, "stores.bson");
  await ageOf(minutes, folder, name);
}

const at = (hour: number) => backupName(new Date(Date.UTC(2026, 10, 22, hour)));

test("names a backup after its time, with hyphens in place of colons and the decimal point", () => {
  expect(backupName(new Date("2026-11-22T08:30:05.123Z"))).toBe("2026-11-22T08-30-05-123Z");
});

test("keeps the newest complete backups, and deletes older ones", async () => {
  const folder = await folderWith(`${at(1)}!`, `${at(2)}!`, `${at(3)}!`);
  expect(await prune(folder, 2, at(3))).toEqual([at(1)]);
  expect(await readdir(folder)).toEqual([at(2), at(3)]);
});

test("deletes an incomplete backup, whatever its name, once nothing has been written to it for an hour, and never counts it", async () => {
  const folder = await folderWith(`${at(1)}!`, at(2), `${at(3)}!`, at(4), at(5));
  await abandon(62, folder, at(2));
  await abandon(62, folder, at(4));
  await abandon(59, folder, at(5));
  expect(await prune(folder, 2)).toEqual([at(2), at(4)]);
  expect(await readdir(folder)).toEqual([at(1), at(3), at(5)]);
});

test("deletes abandoned backups also if none is complete, and if all are to be kept", async () => {
  const folder = await folderWith(at(1), at(2));
  await abandon(62, folder, at(1));
  expect(await prune(folder)).toEqual([at(1)]);
  writeSummary(path.join(folder, at(2)), { takenAt: "2026-11-22T08:00:00.000Z", counts: {} });
  await abandon(62, folder, at(2));
  expect(await prune(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([at(2)]);
});

test("keeps a backup that is being written, although a later one is complete and its folder is older than an hour", async () => {
  const folder = await folderWith(at(1), `${at(2)}!`);
  await ageOf(120, folder, at(1));
  expect(await prune(folder, 1, at(2))).toEqual([]);
  expect(await readdir(folder)).toEqual([at(1), at(2)]);
});

test("keeps the backup that was just saved although a clock that was ahead has given others later names", async () => {
  const folder = await folderWith(`${at(1)}!`, `${at(2)}!`, `${at(22)}!`, `${at(23)}!`);
  expect(await prune(folder, 2, at(2))).toEqual([at(1), at(22)]);
  expect(await readdir(folder)).toEqual([at(2), at(23)]);
});

test.each([1, 2])(
  "of two backups that two programs save at the same time, the one completed last remains, although only one is kept: %i",
  async (last) => {
    const folder = await folderWith(`${at(1)}!`, `${at(2)}!`);
    await ageOf(1, folder, at(3 - last), "backup.json");
    await prune(folder, 1, at(1));
    await prune(folder, 1, at(2));
    expect(await readdir(folder)).toEqual([at(last)]);
  },
);

test("before a backup, keeps the one completed last, although a clock that was ahead has given another a later name", async () => {
  const folder = await folderWith(`${at(2)}!`, `${at(23)}!`);
  await ageOf(60, folder, at(23), "backup.json");
  expect(await prune(folder, 1)).toEqual([at(23)]);
  expect(await readdir(folder)).toEqual([at(2)]);
});

test.each([-180, 180])(
  "deletes what was abandoned, and keeps what is being written, although this machine's clock is %i minutes off the volume's",
  async (minutes) => {
    const folder = await folderWith(at(1), at(2));
    await abandon(62, folder, at(1));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await prune(folder)).toEqual([at(1)]);
    expect(await readdir(folder)).toEqual([at(2)]);
  },
);

test("on a full volume, deletes an incomplete backup that was last changed an hour before another one", async () => {
  const folder = await folderWith(`${at(1)}!`, at(2), at(3));
  await abandon(62, folder, at(2));
  const volumeTime = () => Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC" }));
  expect(await pruneBackups(folder, { volumeTime })).toEqual([at(2)]);
  expect(await readdir(folder)).toEqual([at(1), at(3)]);
});

test("removes what a program has left that was killed while it asked for the volume's time", async () => {
  const folder = await folderWith(at(1));
  const left = path.join(folder, volumeTimeName);
  await writeFile(left, "");
  await utimes(left, 0, 0);
  expect(await volumeTimeMs(folder)).toBeGreaterThan(Date.now() - 60_000);
  expect(await readdir(folder)).toEqual([at(1)]);
});

test("before a backup, deletes what is more than the newest to keep", async () => {
  const folder = await folderWith(`${at(1)}!`, `${at(3)}!`, `${at(4)}!`, at(5));
  expect(await prune(folder, 2)).toEqual([at(1)]);
  expect(await readdir(folder)).toEqual([at(3), at(4), at(5)]);
});

test("deletes nothing if the folder does not exist", async () => {
  const folder = await folderWith(at(1));
  expect(await prune(path.join(folder, "missing"), 1)).toEqual([]);
});

test("ignores folders that are not named like backups", async () => {
  const folder = await folderWith("lost+found", "2026!", `${at(1)}!`);
  await abandon(62, folder, "lost+found");
  expect(await prune(folder, 1, at(1))).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(["2026", at(1), "lost+found"]);
});
