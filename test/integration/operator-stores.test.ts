import type { DescMethod } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { generateOperatorToken } from "#shared/operators/operator-token.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import { accessOf } from "../../services/registry/rpc/method-access.ts";
import { registryServices } from "../../services/registry/rpc/registry-services.ts";
import { expectAllChangeNothing } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { openOperatorsFile, operatorEntryOf } from "../harness/operators-file.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const methods = registryServices
  .flatMap((service) => service.methods)
  .filter((method) => method.methodKind === "unary" && accessOf(method).right !== null);
const inScope = (...scopes: string[]) =>
  methods
    .filter((method) => scopes.includes(accessOf(method).scope))
    .map((method) => [methodName(method), method] as const);

const [limited, unlimited] = [generateOperatorToken(), generateOperatorToken()];
const own = "own-store.example.test";
const other = "other-store.example.test";
const { path } = await openOperatorsFile([
  operatorEntryOf({ actor: "limited", token: limited, stores: [own, "future-store.example.test"] }),
  operatorEntryOf({ actor: "unlimited", token: unlimited }),
]);
const registry = await openTestRegistry({ env: { REGISTRY_OPERATORS_FILE: path } });
const ownId = await createTestStore(registry, { shop: own });
const otherId = await createTestStore(registry, { shop: other });

async function call(method: DescMethod, token: string, store?: string, body: object = {}) {
  const response = await fetch(`${registry.apiUrl}/${methodName(method)}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      ...(store !== undefined && inStore(store).headers),
    },
    body: JSON.stringify(body),
  });
  const { code, message } = (await response.json()) as { readonly code?: string; readonly message?: string };
  return { code, message };
}

const noSuchStore = { code: "not_found", message: "There is no such store." };

test("no request of a method over one store has a field that could name another store", () => {
  const fields = inScope("one_store").flatMap(([, { input }]) => input.fields);
  expect(fields.filter(({ name }) => /store_id|shop/.test(name)).map(String)).toEqual([]);
});

describe("without a change", () => {
  expectAllChangeNothing(registry.database);

  test.each(inScope("one_store"))("%s is refused without a store, and for an unknown store", async (_name, method) => {
    const unnamed = { code: "invalid_argument", message: expect.stringContaining("in the metadata registry-store") };
    for (const token of [limited, unlimited]) {
      expect(await call(method, token)).toEqual(unnamed);
      expect(await call(method, token, "")).toEqual(unnamed);
      for (const unknown of ["sto_unknown", "unknown.example.test", `${ownId}, ${otherId}`])
        expect(await call(method, token, unknown)).toEqual(noSuchStore);
    }
  });

  test.each(inScope("one_store"))(
    "%s hides other stores from an operator who is limited to certain stores",
    async (_name, method) => {
      for (const store of [otherId, other]) expect(await call(method, limited, store)).toEqual(noSuchStore);
    },
  );
});

test.each(inScope("one_store"))("%s finds a store to which an operator is limited", async (_name, method) => {
  for (const store of [ownId, own]) expect(await call(method, limited, store)).not.toEqual(noSuchStore);
});

test.each(inScope("all_stores", "new_store"))("%s is refused with a store in its metadata", async (_name, method) => {
  const message = "The call does not concern one store. Omit the metadata registry-store.";
  expect(await call(method, unlimited, ownId)).toEqual({ code: "invalid_argument", message });
});

test.each(inScope("all_stores"))(
  "%s is refused to an operator who is limited to certain stores",
  async (_name, method) => {
    expect(await call(method, limited)).toEqual({
      code: "unauthenticated",
      message: "The call concerns all stores, but the token is limited to certain stores. Use a token for all stores.",
    });
    expect((await call(method, unlimited)).code).toBeUndefined();
  },
);

test("an operator who is limited to certain stores can create one of them, but no other store", async () => {
  const [[, create] = []] = inScope("new_store");
  if (create === undefined) throw new Error("no method creates a store");
  const plan = "PLAN_PRO";
  const createStore = (shop: string) => call(create, limited, undefined, { shop, plan });
  expect(await createStore("future-store.example.test")).toEqual({});
  expect(await createStore("another-store.example.test")).toEqual(noSuchStore);
});
