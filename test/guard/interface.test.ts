import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import { apiErrors } from "../../services/edge/openapi/error-responses.ts";
import { listParameters } from "../../services/edge/openapi/list-parameters.ts";
import { files, isHandWritten, tableRows, textOf } from "./repository.ts";

const contract = "services/INTERFACE.md";
const sections = new Set(Array.from(textOf(contract).matchAll(/^##+ (\d(?:\.\d)?)\.? /gm), ([, section]) => section));
const rules = new Set(Array.from(textOf(contract).matchAll(/^(\d)\. /gm), ([, rule]) => rule));

// Citations such as `INTERFACE.md §6, rule 2`. Each extends to the next `INTERFACE.md` or RFC, or to the line's end.
const references = files
  .filter((file) => /\.(ts|proto|md|yaml|cjs|mjs)$/.test(file) && isHandWritten(file) && file !== contract)
  .flatMap((file) =>
    [...textOf(file).matchAll(/INTERFACE\.md,? [^\n]*?(?=INTERFACE\.md|RFC|$)/gm)].map(([text]) => ({
      file,
      text,
    })),
  );

test("every section and rule of INTERFACE.md that a comment or document cites exists", () => {
  expect(references.length).toBeGreaterThan(50);
  const dangling = references.flatMap(({ file, text }) => [
    ...[...text.matchAll(/§(\d(?:\.\d)?)/g)]
      .filter(([, section]) => !sections.has(section))
      .map(([cited]) => `${file}: ${cited}`),
    ...[...text.matchAll(/\brule (\d)/g)].filter(([, rule]) => !rules.has(rule)).map(([cited]) => `${file}: ${cited}`),
  ]);
  expect(dangling).toEqual([]);
});

test("INTERFACE.md §4.1 lists the parameters of the OpenAPI document with their defaults", () => {
  const described = Object.entries(listParameters).map(([name, parameter]) => {
    const { schema, description } = parameter as { schema: { default?: string | number }; description: string };
    const [, described] = /Default: `(\w+)`/.exec(description) ?? [];
    return [name, String(schema.default ?? described ?? "none")];
  });
  expect(tableRows(contract, "parameter").map(([name, standard]) => [name, standard])).toEqual(described);
});

test("INTERFACE.md §6 lists exactly the event types of the protobuf contract", () => {
  const types = Object.values(EventType).filter((type) => typeof type === "number" && type !== EventType.UNSPECIFIED);
  const names = types.map((type) => eventName(Number(type)));
  expect(
    tableRows(contract, "event")
      .map(([name]) => name)
      .sort(),
  ).toEqual(names.sort());
});

test("INTERFACE.md §7 lists the errors of the OpenAPI document", () => {
  const described = apiErrors.map(({ status, code, when, remedy }) =>
    [String(status), code, when, remedy].map((cell) => cell.replaceAll("`", "")),
  );
  expect(tableRows(contract, "status")).toEqual(described);
});
