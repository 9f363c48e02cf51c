import { describe, expect, test } from "vitest";
import { messagesIn } from "#shared/texts/text-files.ts";
import { pageSize } from "../../services/edge/certificates/query-values.ts";
import { openApiDocument } from "../../services/edge/openapi/document.ts";
import { registryConfig } from "../../services/registry/config.ts";
import { tableRows, textOf } from "./repository.ts";

const { info } = openApiDocument;
// Documents wrap their lines, so every run of white space counts as one space.
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
const contract = oneLine(textOf("services/INTERFACE.md"));
const description = oneLine(JSON.stringify(info).replaceAll("\\n", "\n"));
const guide = oneLine(textOf("deploy/receivers/README.md"));

const defaultOf = (name: string) => registryConfig.variables.find((one) => one.name === name)?.defaultText ?? "";
const limit = defaultOf("REGISTRY_RATE_LIMIT");
const windowSeconds = Number(defaultOf("REGISTRY_RATE_LIMIT_WINDOW_MS")) / 1_000;

const everywhere = [
  ["the contract", contract],
  ["the OpenAPI document", description],
  ["the receivers' guide", guide],
] as const;

test("the guide for integrators states the rate limit, the page sizes and every event type", () => {
  const limits = textOf("services/edge/docs/guide/limits.md");
  expect(limits).toContain(`${limit} requests in any ${windowSeconds} seconds`);
  expect(limits).toContain("All keys of a store share this limit");
  expect(limits).toContain(`| page size | ${pageSize.min} to ${pageSize.max}, default ${pageSize.default};`);
  const events = tableRows("services/edge/docs/guide/webhooks.md", "event").map(([event]) => event);
  expect(events).toEqual(tableRows("services/INTERFACE.md", "event").map(([event]) => event));
});

const pages = ["quick-start", "webhooks", "versioning"];
const labels = pages.flatMap((page) => {
  const text = oneLine(textOf(`services/edge/docs/guide/${page}.md`));
  return Array.from(text.matchAll(/\b(?:[Uu]nder|[Pp]ress) \*\*([^*]+)\*\*/g), ([, label = ""]) => [page, label]);
});

test("the guide for integrators says where to press in the settings", () => {
  expect(labels.map(([page]) => page)).toEqual(expect.arrayContaining(pages));
});

test.each(labels)("the guide's page %s names a label that the settings have: %s", (_page, label = "") => {
  const isLabel = /^settings\.(webhook|keys|shell\.sections)\./;
  const texts = Object.entries(messagesIn("en")).flatMap(([key, text]) => (isLabel.test(key) ? [text] : []));
  expect(texts).toContain(label);
});

const sync = oneLine(textOf("services/edge/docs/guide/sync.md"));

test.each([
  ["the contract", contract],
  ["the guide for integrators", sync],
])("%s repeats the page size with each cursor, which does not contain it", (_name, text) => {
  expect(text).toContain("request the next page with `limit=100` and `cursor`");
});

test.each([
  ["the contract", contract],
  ["the OpenAPI document", JSON.stringify(openApiDocument.webhooks)],
  ["the receivers' guide", guide],
  ["the guide for integrators", oneLine(textOf("services/edge/docs/guide/webhooks.md"))],
])("%s says that a message does not replace a later copy", (_name, text) => {
  expect(text).toMatch(/unless (your|its) copy has the same or a later `updatedAt`/);
});

describe.each(everywhere)("%s states", (_name, text) => {
  test("that clients that keep a copy compute expiry from expiresAt, because expiry does not change updatedAt", () => {
    expect(text).toMatch(/expir[^|]*compute[^|]* from `expiresAt`/i);
    expect(text).toMatch(/`updatedAt` does not change|do(es)? not change `updatedAt`/);
  });

  test("that a change to the verification address, language or edition style requires reading the whole list again", () => {
    expect(text).toMatch(/settings[^.]*\(verification address, language, edition style\)/);
    expect(text).toMatch(/[Rr]ead the whole list again/);
  });

  test("the rate limit, and that all keys of a store share it", () => {
    expect(text).toMatch(new RegExp(`${limit} requests in any ${windowSeconds} seconds`));
    expect(text).toMatch(/all keys of a store share/);
  });

  test("that clients must ignore members and headers that they do not know", () => {
    expect(text).toMatch(/[Ii]gnore members and headers that (you|they) do not know/);
  });
});

describe.each(everywhere.slice(0, 2))("%s states", (_name, text) => {
  test("the page sizes", () => {
    expect(text).toMatch(new RegExp(`${pageSize.min} to ${pageSize.max}[^.]*default ${pageSize.default}`));
  });

  test("that a cursor does not expire, but becomes invalid when its encryption key is withdrawn", () => {
    expect(text).toMatch(/cursor does not expire[^.]*when the operator withdraws its[^.]* key/);
  });

  test("that a client can stop reading in the middle of the list and resume with updated_since", () => {
    expect(text).toMatch(/in the middle of the list and resume later, without the cursor, with `updated_since`/);
  });

  test("which changes a later release may make within /v1", () => {
    expect(text).toMatch(/may add optional parameters, members of objects, headers, error codes and events/);
    expect(text).toMatch(/does not remove or rename any of them/);
  });
});
