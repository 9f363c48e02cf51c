import { expect, test } from "vitest";
import { documentedPermissions } from "../harness/nats-permissions.ts";
import { tableRows } from "./repository.ts";

test.each([
  ["registry", 1],
  ["notifier", 2],
] as const)(
  "deploy/operations/nats.md lists exactly the permissions that the tests grant to the %s",
  (service, column) => {
    const rows = tableRows("deploy/operations/nats.md", "subject");
    const subjectsTo = (operation: string) =>
      rows.flatMap((row) => (row[column]?.split(", ").includes(operation) ? [row[0]] : []));
    const listed = { publish: subjectsTo("publish"), subscribe: subjectsTo("subscribe") };
    expect(listed).toEqual(documentedPermissions[service]);
  },
);
