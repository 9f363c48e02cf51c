import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { errorReplies } from "../../services/edge/openapi/error-replies.ts";
import { listParameters } from "../../services/edge/openapi/list-parameters.ts";

const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");

/** The cells of the table whose first heading is this one, without the marks of code. */
function tableOf(heading: string): string[][] {
  const table = readme.split("\n\n").find((block) => block.startsWith(`| ${heading} |`));
  if (table === undefined) throw new Error(`README.md has no table of ${heading}`);
  const rows = table.trim().split("\n").slice(2);
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.replaceAll("`", "").trim()),
  );
}

test("README.md has the parameters of the API's description, with their defaults", () => {
  const described = Object.entries(listParameters).map(([name, parameter]) => {
    const { schema } = parameter as { schema: { default?: string | number } };
    return [name, schema.default === undefined ? "none" : String(schema.default)];
  });
  expect(tableOf("parameter").map(([name, standard]) => [name, standard])).toEqual(described);
});

test("README.md has the errors of the API's description", () => {
  const described = errorReplies.map(({ status, code, when, remedy }) =>
    [String(status), code, when, remedy].map((cell) => cell.replaceAll("`", "")),
  );
  expect(tableOf("status")).toEqual(described);
});
