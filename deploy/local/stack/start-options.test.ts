import { expect, test } from "vitest";
import { parseStartOptions } from "./start-options.ts";

test("keeps the data and uses the documented ports by default", () => {
  const options = parseStartOptions([]);
  expect(options).toMatchObject({
    reset: false,
    edgePort: 8080,
    registryPort: 9090,
    receiverPort: 8443,
    shopPort: 8088,
  });
  expect(options?.dataFolder).toMatch(/\.data$/);
});

test.each([
  [["--prot", "1"], /prot/],
  [["--port", "70000"], /^--port 70000 is not a whole number/],
  [["--port", "0"], /^--port 0 is not a whole number/],
  [["--watch", "cli"], /^--watch cli is not registry, edge or notifier/],
  [["surplus"], /surplus/],
])("rejects an invalid argument and names it: %s", (args, message) => {
  expect(() => parseStartOptions(args)).toThrow(message);
});
