import { expect, test } from "vitest";
import { ImportSettingsService } from "#gen/settings/v1/import_settings_service_pb.js";
import { registryServices } from "../registry-services.ts";

const all = registryServices.flatMap(({ methods }) => methods);
const isSettings = (typeName: string) => typeName.startsWith("settings.v1.");
const ownMethods = all.filter(({ parent }) => isSettings(parent.typeName));
const operatorMethods = all.filter(({ parent }) => parent.typeName.startsWith("registry.v1."));

test("no request message of the settings services has a field that identifies a store", () => {
  expect(ownMethods.length).toBeGreaterThan(20);
  const named = ownMethods.flatMap(({ input }) => input.fields.filter(({ name }) => /store|shop/.test(name)));
  expect(named.map(({ parent, name }) => `${parent.typeName}.${name}`)).toEqual([]);
});

// Excludes GetStore, because the operators' request can also identify the store by its domain.
const shared = ownMethods.filter(({ name }) => name !== "GetStore");
const pairs = shared.flatMap((own) => {
  const operator = operatorMethods.find(({ name }) => name === own.name);
  return operator === undefined ? [] : [{ name: own.name, own, operator }];
});

test.each(pairs)("$name has the same fields as the operators' method, except store_id", ({ own, operator }) => {
  const fieldsOf = (fields: readonly { name: string; toString(): string }[]) => fields.map(({ name }) => name).sort();
  expect([...fieldsOf(own.input.fields), "store_id"].sort()).toEqual(fieldsOf(operator.input.fields));
  expect(fieldsOf(own.output.fields)).toEqual(fieldsOf(operator.output.fields));
});

test("every settings method has a counterpart for operators, except those for sessions, imports, URL checks and logos", () => {
  const alone = shared.filter(({ name }) => !pairs.some((pair) => pair.name === name)).map(({ name }) => name);
  const imports = ImportSettingsService.methods.map(({ name }) => name);
  expect(alone.filter((name) => !imports.includes(name)).sort()).toEqual([
    "CheckWebhookUrl",
    "CloseSession",
    "GetSession",
    "OpenSession",
    "SetLogo",
  ]);
});
