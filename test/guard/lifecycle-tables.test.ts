import { expect, test } from "vitest";
import { buildCertctl } from "../../services/cli/certctl.ts";
import { operations } from "../../services/registry/certificates/transitions.ts";
import { operationKinds } from "../checks/runner/operations.ts";
import { modelOperations } from "../harness/certificate-model.ts";
import { lifecycleOperations } from "../harness/lifecycle-operations.ts";
import { files, tableRows } from "./repository.ts";

const certificateCommands = buildCertctl()
  .commands.find((command) => command.name() === "certificate")
  ?.commands.map((command) => command.name());

test.each([
  ["the state machine", operations],
  ["the commands of certctl certificate", certificateCommands ?? []],
  ["the certificate model of the tests", modelOperations],
  ["the operations of the checks", operationKinds],
])("every operation of LifecycleService is in %s", (_table, names) => {
  expect(names).toEqual(expect.arrayContaining([...lifecycleOperations]));
});

test("every operation of LifecycleService has its own use-case module", () => {
  const useCases = lifecycleOperations.map((name) => `services/registry/certificates/${name}-certificate.ts`);
  expect(useCases.filter((file) => !files.includes(file))).toEqual([]);
});

test("INTERFACE.md §3 has a row for every operation of LifecycleService", () => {
  const documented = tableRows("services/INTERFACE.md", "operation").map(([name = ""]) => name.split(" ")[0]);
  expect(documented).toEqual(expect.arrayContaining([...lifecycleOperations]));
});
