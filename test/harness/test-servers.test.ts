import { expect, test } from "vitest";
import { serverSources } from "./test-servers.ts";

test.each<[NodeJS.ProcessEnv, readonly string[]]>([
  [{}, ["containers", "local"]],
  [{ TEST_SERVERS: "" }, ["containers", "local"]],
  [{ TEST_SERVERS: "auto" }, ["containers", "local"]],
  [{ TEST_SERVERS: "local" }, ["local"]],
  [{ TEST_SERVERS: "containers", MONGODB_URI: "mongodb://a/" }, ["containers"]],
  [{ MONGODB_URI: "mongodb://a/" }, ["local"]],
  [{ REGISTRY_DATABASE_SERVER: "secantusd-rs" }, ["local"]],
])("environment %j selects the sources %j", (env, sources) => {
  expect(serverSources(env)).toEqual(sources);
});

test("rejects an unknown value of TEST_SERVERS and states the valid values", () => {
  expect(() => serverSources({ TEST_SERVERS: "docker" })).toThrow(
    'TEST_SERVERS is "docker"; set it to containers, local or auto',
  );
});
