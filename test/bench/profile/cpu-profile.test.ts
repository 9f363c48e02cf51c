import { expect, test } from "vitest";
import { type CpuProfile, callTree, frameName, groupOf } from "./cpu-profile.ts";
import { flameGraph } from "./flame-graph.ts";
import { profileText, selfTimes } from "./profile-text.ts";

const packages = "file:///home/someone/project/node_modules";
const ours = "file:///home/someone/project/services/edge/app.ts";
const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 6 },
  children,
});

// Below the root are `handle`, idle time, the garbage collector and the profiler. `handle` calls the driver's `find` in
// two places.
const profile: CpuProfile = {
  nodes: [
    node(1, "(root)", "", [2, 5, 6, 7]),
    node(2, "handle", ours, [3, 4]),
    node(3, "find<T>", `${packages}/mongodb/lib/collection.js`),
    node(4, "find<T>", `${packages}/mongodb/lib/collection.js`),
    node(5, "(idle)", ""),
    node(6, "(garbage collector)", ""),
    node(7, "post", "node:inspector"),
  ],
  samples: [2, 3, 4, 5, 6, 7],
  timeDeltas: [100, 200, 300, 5_000, 400, 900],
};

test.each([
  ["services", "handle", ours],
  ["proto", "toBinary", `${packages}/@bufbuild/protobuf/dist/esm/to-binary.js`],
  ["proto", "", "file:///home/someone/project/proto/gen/registry/v1/edge_service_pb.js"],
  ["driver", "serialize", `${packages}/bson/lib/bson.cjs`],
  ["driver", "find", `${packages}/mongodb/lib/collection.js`],
  ["grpc", "push", `${packages}/@grpc/grpc-js/build/src/call-stream.js`],
  ["other packages", "compose", `${packages}/koa-compose/index.js`],
  ["node", "emit", "node:events"],
  ["gc", "(garbage collector)", ""],
  ["native", "writev", ""],
])("assigns to the group %s: function %j, file %j", (group, functionName, url) => {
  expect(groupOf({ functionName, url })).toBe(group);
});

test("names functions without absolute paths", () => {
  const names = profile.nodes.map(({ callFrame }) => frameName(callFrame));
  expect(names).toContain("handle (services/edge/app.ts)");
  expect(names).toContain("find<T> (mongodb/collection.js)");
  expect(frameName({ functionName: "", url: ours, lineNumber: 6 })).toBe("anonymous:7 (services/edge/app.ts)");
  expect(frameName({ functionName: "emit", url: "node:events", lineNumber: 1 })).toBe("emit (node:events)");
});

test("merges calls to the same function and leaves out idle time and the profiler", () => {
  const root = callTree(profile);
  expect(root.total).toBe(1_000);
  const [handle, collector] = root.children;
  expect(handle).toMatchObject({ self: 100, total: 600, group: "services" });
  expect(handle?.children).toMatchObject([{ name: "find<T> (mongodb/collection.js)", self: 500, group: "driver" }]);
  expect(collector).toMatchObject({ self: 400, group: "gc" });
});

test("returns each group's total self time, largest first", () => {
  expect(selfTimes(callTree(profile), ({ group }) => group).slice(0, 3)).toEqual([
    ["driver", 500],
    ["gc", 400],
    ["services", 100],
  ]);
});

test("summarizes shares and CPU time per unit as text", () => {
  const text = profileText("list: CPU time of the edge", callTree(profile), {
    count: 10,
    unit: "page",
    cpuMicros: 2_000,
  });
  expect(text).toContain("in µs of CPU time per page: 200 µs in all; 10 profiled.");
  expect(text).toContain(" 50.0 %    100 µs  driver\n");
  expect(text).toContain(" 10.0 %     20 µs  handle (services/edge/app.ts)  [services]\n");
  expect(text).not.toContain("someone");
});

test("draws a flame graph that omits small functions and escapes names", () => {
  const svg = flameGraph("list & more", callTree(profile), 0.2);
  expect(svg).toContain("list &amp; more");
  expect(svg).toContain("<title>find&lt;T&gt; (mongodb/collection.js) 50.0 %</title>");
  expect(flameGraph("t", callTree(profile), 0.55)).not.toContain("find");
  expect(svg).not.toContain("someone");
});
