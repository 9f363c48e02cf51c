import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { chooseRegistry } from "./choose-registry.ts";

/** Creates a checkout in which `npm start` has run. @param facts content of its `demo.json` */
async function startedFolder(facts: string): Promise<string> {
  const folder = await openTemporaryFolder("choose-registry", onTestFinished);
  await mkdir(path.join(folder, ".data"));
  await writeFile(path.join(folder, ".data/demo.json"), facts);
  return folder;
}

test("prefers the option to the variable, and the variable to the address in demo.json", async () => {
  const folder = await startedFolder('{"registry_address":"127.0.0.1:9191","api_key":"crk_1"}');
  expect(chooseRegistry({ option: "a:1", variable: "b:2" }, folder)).toEqual({ address: "a:1", description: "a:1" });
  expect(chooseRegistry({ variable: "b:2" }, folder)).toEqual({
    address: "b:2",
    description: "b:2 (CERTCTL_REGISTRY)",
  });
  for (const empty of [{}, { option: "", variable: "" }])
    expect(chooseRegistry(empty, folder)).toEqual({
      address: "127.0.0.1:9191",
      description: "127.0.0.1:9191 (.data/demo.json)",
    });
});

test("uses port 9090 on this machine if npm start has not run", async () => {
  const folder = path.join(tmpdir(), "choose-registry-missing");
  expect(chooseRegistry({}, folder)).toEqual({
    address: "127.0.0.1:9090",
    description: "127.0.0.1:9090 (the default)",
  });
});

test.each(["", "{}", '{"registry_address":9090}'])(
  "rejects a demo.json with the content %j instead of calling another registry",
  async (facts) => {
    const folder = await startedFolder(facts);
    expect(() => chooseRegistry({}, folder)).toThrow(/\.data\/demo\.json .* specify the registry with --registry/);
  },
);
