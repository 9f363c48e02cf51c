import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import type { DatabaseKind } from "./database-plan.ts";
import { createDatabaseRecord, readFolderContent, removeDatabaseRecord } from "./database-record.ts";
import { ownerOf, requireVersion } from "./folder-owner.ts";

const noRecord = (...kindsWithData: DatabaseKind[]) => ({ record: undefined, kindsWithData });

test("takes the owner from the record even if the folder contains data of another server", () => {
  const record = { kind: "secantusd-py", version: "1" } as const;
  expect(ownerOf("/data", { record, kindsWithData: ["secantusd-rs"] }, "mongod")).toBe("secantusd-py");
});

test.each<[string, DatabaseKind[], string | undefined, string | undefined]>([
  ["has no owner if it contains no data", [], undefined, undefined],
  ["has no owner if the data of the previous start's server is gone", [], "mongod", undefined],
  ["belongs to the only server with data", ["secantusd-py"], undefined, "secantusd-py"],
  ["belongs to the previous start's server", ["secantusd-rs", "secantusd-py"], "secantusd-py", "secantusd-py"],
  ["belongs to MONGODB_URI when the previous start used it", [], "MONGODB_URI", "MONGODB_URI"],
])("a folder without a record %s", (_, kinds, previous, owner) => {
  expect(ownerOf("/data", noRecord(...kinds), previous)).toBe(owner);
});

test("refuses a folder with data of two servers if there is neither a record nor a previous start", () => {
  expect(() => ownerOf("/data", noRecord("secantusd-rs", "secantusd-py"), undefined)).toThrow(
    "/data contains data from secantusd-rs and secantusd-py: delete the subfolder of each server that you do not need.",
  );
});

test("refuses data written by another version of a stand-in for MongoDB", () => {
  const program = (version?: string) => ({
    kind: "secantusd-py",
    path: "",
    launch: () => Promise.reject(new Error("not started")),
    ...(version === undefined ? {} : { version }),
  });
  const record = { kind: "secantusd-py", version: "1" } as const;
  expect(() => requireVersion("/data", record, program("2"))).toThrow(
    "The data in /data was written by secantusd-py 1, and version 2 may be unable to read it: use another data folder",
  );
  requireVersion("/data", record, program("1"));
  requireVersion("/data", { ...record, version: null }, program("2"));
  requireVersion("/data", record, program());
  requireVersion("/data", undefined, program("2"));
});

let folder: string;
beforeEach(async () => {
  folder = await openTemporaryFolder("folder-owner", onTestFinished);
});

test("reads the record and the kinds of server that have stored data", async () => {
  const data = join(folder, "data");
  expect(await readFolderContent(data)).toEqual({ record: undefined, kindsWithData: [] });
  const record = { kind: "secantusd-py", version: "1" } as const;
  expect(await createDatabaseRecord(data, record)).toBe(true);
  // The folder of a server that was started but stored nothing.
  await mkdir(join(data, "secantusd-rs", "storage"), { recursive: true });
  await mkdir(join(data, "secantusd-py", "storage"), { recursive: true });
  await writeFile(join(data, "secantusd-py", "storage", "table"), "");
  expect(await readFolderContent(data)).toEqual({ record, kindsWithData: ["secantusd-py"] });
  await removeDatabaseRecord(data, record);
  expect(await readdir(data)).toEqual(["secantusd-rs"]);
});

test("refuses an invalid record", async () => {
  await writeFile(join(folder, "server.json"), "{}");
  await expect(readFolderContent(folder)).rejects.toThrow("server.json is not a valid record of the database server");
});

test("keeps the first of several records that are created at the same time", async () => {
  const kinds = ["secantusd-py", "secantusd-rs", "mongod", "MONGODB_URI"] as const;
  const created = await Promise.all(kinds.map((kind) => createDatabaseRecord(folder, { kind, version: null })));
  expect(created.filter((isFirst) => isFirst)).toHaveLength(1);
  expect((await readFolderContent(folder)).record?.kind).toBe(kinds[created.indexOf(true)]);
  expect(await readdir(folder)).toEqual(["server.json"]);
});

test.each([
  ["record", "server.json/file"],
  ["storage", "mongod"],
])("fails when it cannot read the %s, instead of treating the folder as empty", async (_, path) => {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), "");
  await expect(readFolderContent(folder)).rejects.toThrow(/EISDIR|ENOTDIR/);
});
