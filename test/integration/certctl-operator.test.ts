import { expect, test } from "vitest";
import { operatorTokenHash } from "#shared/operators/operator-token.ts";
import { parseOperators } from "../../services/registry/operator-api/operators.ts";
import { openOperatorsFile } from "../harness/operators-file.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctl } from "../harness/run-certctl.ts";

test("operator create prints a token, and an entry for the operators' file that makes the operator API accept the token", async (context) => {
  const { code, out, error } = await runCertctl(
    ...["operator", "create", "ada", "--right", "inspect", "administer", "--for", "a.example", "b.example"],
  );
  expect(code).toBe(0);
  const [token = "", line = ""] = out.split("\n");
  expect(Buffer.from(token.replace(/^cop_/, ""), "base64url")).toHaveLength(32);
  expect(error).toContain("shown only once");
  expect([...parseOperators(`[${line}]`).values()]).toEqual([
    {
      actor: "ada",
      token_sha256: operatorTokenHash(token),
      rights: ["inspect", "administer"],
      stores: ["a.example", "b.example"],
    },
  ]);

  const { path, writeText } = await openOperatorsFile([]);
  await writeText(`[${line}]`);
  const registry = await openTestRegistry({ env: { REGISTRY_OPERATORS_FILE: path } }, context.onTestFinished);
  const response = await fetch(`${registry.apiUrl}/registry.v1.StoreAdminService/GetStore`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}`, "registry-store": "a.example" },
    body: "{}",
  });
  expect(await response.json()).toMatchObject({ code: "not_found" });
});

test.each([
  [["ada", "--for", "Shop"], "--for must be a store's domain in lower case, or *."],
  [["ada", "--for", "*", "a.example"], "After --for, give either '*' or domains of stores, not both."],
  [["ada@example.com", "--for", "*"], "The name must not be an e-mail address, because logs and histories keep it."],
])("operator create %j is refused with one sentence and prints no token", async (args, sentence) => {
  expect(await runCertctl("operator", "create", ...args, "--right", "inspect")).toEqual({
    code: 2,
    out: "",
    error: `certctl: ${sentence}\n`,
  });
});
