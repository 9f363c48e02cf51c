import type { DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { generateOperatorToken } from "#shared/operators/operator-token.ts";
import { methodName, storeScopeOf } from "../../services/registry/operator-api/store-scopes.ts";
import { registryServices } from "../../services/registry/rpc/registry-services.ts";
import { openOperatorsFile, operatorEntryOf } from "../harness/operators-file.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const internal = [
  "ConnectorService",
  "EdgeService",
  "NotifierService",
  "TriggerDeliveryService",
  "VerificationService",
];
const methods = registryServices
  .filter(({ name, typeName }) => !internal.includes(name) && !typeName.startsWith("settings."))
  .flatMap((service) => service.methods)
  .filter(({ methodKind }) => methodKind === "unary");
const rows = methods.map((method) => [methodName(method), method] as const);

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

async function call(method: DescMethod, token: string, body: object) {
  const response = await fetch(`${registry.apiUrl}/${methodName(method)}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const { code, message } = (await response.json()) as { readonly code?: string; readonly message?: string };
  return { code, message };
}

/** Returns a request body for each of the fields `store_id` and `shop` that the method's request has. */
function bodiesNaming(method: DescMethod, storeId: string, shop: string): object[] {
  const names = method.input.fields.map(({ name }) => name);
  return [...(names.includes("store_id") ? [{ storeId }] : []), ...(names.includes("shop") ? [{ shop }] : [])];
}

const noSuchStore = { code: "not_found", message: "There is no such store." };

// A new method fails here until store-scopes.ts states which stores it concerns.
test.each(rows)("%s is scoped to one store if its request can name one, else to all stores", async (_name, method) => {
  const namesStore = bodiesNaming(method, "", "").length > 0;
  expect(storeScopeOf(method)).toBe(namesStore ? "named_store" : "all_stores");
});

test.each(rows.filter(([, method]) => storeScopeOf(method) === "named_store"))(
  "%s hides other stores from an operator who is limited to certain stores",
  async (_name, method) => {
    const before = await registry.database.contents();
    const bodies = bodiesNaming(method, otherId, other);
    for (const body of [...bodies, {}]) expect(await call(method, limited, body)).toEqual(noSuchStore);
    for (const body of bodiesNaming(method, "sto_unknown", "x"))
      expect(await call(method, limited, body)).toEqual(noSuchStore);
    expect(await registry.database.contents()).toEqual(before);
    for (const body of bodiesNaming(method, ownId, own))
      expect(await call(method, limited, body)).not.toEqual(noSuchStore);
  },
);

test.each(rows.filter(([, method]) => storeScopeOf(method) === "all_stores"))(
  "%s is refused to an operator who is limited to certain stores",
  async (_name, method) => {
    expect(await call(method, limited, {})).toEqual({
      code: "unauthenticated",
      message: "The call concerns all stores, but the token is limited to certain stores. Use a token for all stores.",
    });
    expect((await call(method, unlimited, {})).code).toBeUndefined();
  },
);

test("an operator who is limited to certain stores can create one of them, but no other store", async () => {
  const create = methods.find(({ name }) => name === "CreateStore");
  if (create === undefined) throw new Error("StoreAdminService has no method CreateStore");
  const plan = "PLAN_PRO";
  expect(await call(create, limited, { shop: "future-store.example.test", plan })).toEqual({});
  expect(await call(create, limited, { shop: "another-store.example.test", plan })).toEqual(noSuchStore);
});
