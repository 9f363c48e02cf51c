import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type DemoFacts, openDataFolder, readDemoFacts, writeDemoFacts } from "./data-folder.ts";

const root = await mkdtemp(path.join(tmpdir(), "data-folder-"));
afterAll(() => rm(root, { recursive: true }));
const folder = await openDataFolder(root, false);

const earlier = {
  api_key: "crk_1",
  database_server: "mongod",
  receiver_url: "https://127.0.0.1:8443/webhooks",
};

test("scripts find the operations ports and the log folder among the facts", async () => {
  const facts: DemoFacts = {
    ...earlier,
    base_url: "http://127.0.0.1:8080",
    registry_address: "127.0.0.1:9090",
    shop: "demo.example",
    registry_operations_url: "http://127.0.0.1:40001",
    edge_operations_url: "http://127.0.0.1:40002",
    notifier_operations_url: "http://127.0.0.1:40003",
    log_folder: folder.logs,
  };
  writeDemoFacts(folder, facts);
  expect(JSON.parse(await readFile(folder.demoFile, "utf8"))).toEqual(facts);
  expect(readDemoFacts(folder)).toEqual(earlier);
});

test("what an earlier version wrote, without them, is read", async () => {
  const old = {
    ...earlier,
    base_url: "http://127.0.0.1:8080",
    registry_address: "a:1",
    shop: "demo.example",
  };
  await writeFile(folder.demoFile, JSON.stringify(old));
  expect(readDemoFacts(folder)).toEqual(earlier);
});
