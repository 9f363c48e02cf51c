import { expect, test } from "vitest";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { buildCertctl } from "../../services/cli/certctl.ts";
import { operations, transitionOf } from "../../services/registry/certificates/transitions.ts";
import { certificateStates, statusIn } from "../harness/lifecycle-case.ts";
import { caseEntries, lifecycleCases } from "../harness/lifecycle-cases.ts";
import { files, tableRows } from "./repository.ts";

const lifecycleOperations = LifecycleService.methods.map(({ localName }) => localName.replace(/Certificate$/, ""));

test("the state machine has the operations of the lifecycle cases", () => {
  expect(operations.toSorted()).toEqual(caseEntries.map(([name]) => name).toSorted());
});

// The effects of the lifecycle cases are those of INTERFACE.md §3, not derived from the table under test.
const cells = operations.flatMap((operation) => certificateStates.map((state) => [operation, state] as const));

test.each(cells)('the state machine has the effect of "%s" on a certificate that is %s', (operation, state) => {
  const effect = lifecycleCases[operation].effects[state];
  expect(transitionOf(operation, statusIn(state), state.endsWith("expired"))).toEqual(
    typeof effect === "string"
      ? { to: effect }
      : { refused: { code: expect.stringMatching(/^certificate_/), params: {} } },
  );
});

test("every operation of LifecycleService is a lifecycle case, and certctl has a command for it", async () => {
  const program = await buildCertctl();
  const commands = program.commands.find((command) => command.name() === "certificate")?.commands ?? [];
  const cases = caseEntries.flatMap(([name, { certctl }]) => (certctl === undefined ? [] : [name]));
  expect(cases.toSorted()).toEqual(lifecycleOperations.toSorted());
  expect(commands.map((command) => command.name())).toEqual(expect.arrayContaining(cases));
});

test("every operation of LifecycleService has its own use-case module", () => {
  const useCases = lifecycleOperations.map((name) => `services/registry/certificates/${name}-certificate.ts`);
  expect(useCases.filter((file) => !files.includes(file))).toEqual([]);
});

test("INTERFACE.md §3 has a row for every operation of LifecycleService: where it is refused, and its event", () => {
  const documented = tableRows("services/INTERFACE.md", "operation").map(([name = "", ...cells]) => {
    const event = cells.pop();
    return [name.split(" ")[0], ...cells.map((cell) => cell === "refused"), event];
  });
  const states = ["active", "revoked", "expired"] as const;
  const cases = caseEntries.filter(([name]) => lifecycleOperations.includes(name));
  expect(documented).toEqual(
    expect.arrayContaining(
      cases.map(([name, { effects, event }]) => [
        name,
        ...states.map((state) => typeof effects[state] !== "string"),
        event.toLowerCase(),
      ]),
    ),
  );
});
