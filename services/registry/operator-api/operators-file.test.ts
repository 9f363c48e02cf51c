import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { generateOperatorToken, operatorTokenHash } from "#shared/operators/operator-token.ts";
import { systemClock } from "#shared/time/clock.ts";
import { openOperatorsFile } from "./operators-file.ts";

const entryOf = (actor: string) => ({
  actor,
  token_sha256: operatorTokenHash(generateOperatorToken()),
  rights: ["inspect"],
  stores: ["*"],
});

/** Opens a file that lists the operator Ada. */
async function openFile() {
  const path = join(tmpdir(), `operators-${crypto.randomUUID()}.json`);
  onTestFinished(() => rm(path, { force: true }));
  const write = (text: string) => writeFile(path, text);
  await write(JSON.stringify([entryOf("ada")]));
  const checks: boolean[] = [];
  const { logger, lines } = captureLog();
  const deps = { path, logger, clock: systemClock, onChecked: (isValid: boolean) => void checks.push(isValid) };
  const file = openOperatorsFile(deps);
  return {
    path,
    deps,
    file,
    write,
    lines,
    checks,
    actors: () => [...file.value.values()].map(({ actor }) => actor),
  };
}

test("replaces the operators when the file has changed", async () => {
  const { file, write, actors, lines } = await openFile();
  await write(JSON.stringify([entryOf("ben"), entryOf("cara")]));
  expect(actors()).toEqual(["ada"]);
  file.refresh();
  file.refresh();
  expect(actors()).toEqual(["ben", "cara"]);
  expect(lines.map(({ msg, operators }) => [msg, operators])).toEqual([["reloaded the changed operators' file", 2]]);
});

test.each([
  ["is broken", "[", "is not valid JSON"],
  [
    "contains a weak token",
    JSON.stringify([{ ...entryOf("ben"), token_sha256: operatorTokenHash("x") }]),
    "weak token",
  ],
  ["is missing", undefined, "cannot be read"],
])("keeps the previous operators and logs one error while the file %s", async (_case, text, reason) => {
  const { path, file, write, actors, lines, checks } = await openFile();
  if (text === undefined) await rm(path);
  else await write(text);
  file.refresh();
  file.refresh();
  expect(actors()).toEqual(["ada"]);
  expect(lines).toMatchObject([{ level: 50, path, reason: expect.stringContaining(reason) }]);
  await write(JSON.stringify([entryOf("ben")]));
  file.refresh();
  expect(actors()).toEqual(["ben"]);
  expect(checks).toEqual([true, false, false, true]);
});

test("refuses to start with an unusable file, naming the variable and the path", async () => {
  const { deps, path, write } = await openFile();
  await write("[");
  expect(() => openOperatorsFile(deps)).toThrow(`REGISTRY_OPERATORS_FILE: ${path} is not valid JSON`);
  await rm(path);
  expect(() => openOperatorsFile(deps)).toThrow(`REGISTRY_OPERATORS_FILE: ${path} cannot be read`);
});
