import { z } from "zod";

const callFrame = z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() });

/** A CPU profile as V8 writes it (Profiler.Profile of the Chrome DevTools Protocol). */
export const cpuProfile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame, children: z.array(z.number()).optional() })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

export type CpuProfile = z.output<typeof cpuProfile>;

/** Kinds of code, in the order of the report. */
export const frameGroups = ["services", "proto", "driver", "grpc", "other packages", "node", "gc", "native"] as const;

/** Kind of code that a frame belongs to. */
export type FrameGroup = (typeof frameGroups)[number];

/** A function in a call tree, with the time spent in it. */
export interface Frame {
  /** Function name and, if known, the file; see {@link frameName}. */
  readonly name: string;
  readonly group: FrameGroup;
  /** Microseconds in the function itself. */
  readonly self: number;
  /** Microseconds in the function and its callees. */
  readonly total: number;
  readonly children: readonly Frame[];
}

// Frames in which no JavaScript function runs: `(idle)` is waiting, `(program)` native code outside of any function.
const idle = new Set(["(idle)", "(program)"]);
const isProfiler = (url: string) => url === "node:inspector" || url.endsWith("/record-profile.ts");

/**
 * Builds the call tree of a profile; omits idle time, native code outside of any function, and the profiler itself.
 * Calls to the same function from the same caller are merged.
 */
export function callTree(profile: CpuProfile): Frame {
  const selfOf = new Map<number, number>();
  profile.samples.forEach((id, index) => {
    selfOf.set(id, (selfOf.get(id) ?? 0) + Math.max(0, profile.timeDeltas[index] ?? 0));
  });
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const build = (ids: readonly number[], name: string, group: FrameGroup): Frame => {
    const found = ids.flatMap((id) => nodes.get(id) ?? []);
    const below = found.flatMap(({ children = [] }) => children).flatMap((id) => nodes.get(id) ?? []);
    const busy = below.filter(({ callFrame: { functionName, url } }) => !idle.has(functionName) && !isProfiler(url));
    const children = [...Map.groupBy(busy, ({ callFrame }) => frameName(callFrame)).entries()].flatMap(
      ([childName, same]) => {
        const [first] = same;
        if (first === undefined) return [];
        return build(
          same.map(({ id }) => id),
          childName,
          groupOf(first.callFrame),
        );
      },
    );
    const self = found.reduce((total, { id }) => total + (selfOf.get(id) ?? 0), 0);
    const total = children.reduce((all, child) => all + child.total, self);
    return { name, group, self, total, children: children.toSorted((a, b) => b.total - a.total) };
  };
  const [root] = profile.nodes;
  return build(root === undefined ? [] : [root.id], "all", "native");
}

/**
 * Returns `name (file)` for a function, or only the name if the file is unknown. The file is a path in the project, a
 * package and a file name (`mongodb/collection.js`), or a module of Node. An anonymous function is `anonymous:<line>`.
 */
export function frameName({ functionName, url, lineNumber }: z.output<typeof callFrame>): string {
  const name = functionName === "" ? `anonymous:${lineNumber + 1}` : functionName;
  const file = fileOf(url);
  return file === "" ? name : `${name} (${file})`;
}

/** Returns the kind of code that a function belongs to. */
export function groupOf({ functionName, url }: Pick<z.output<typeof callFrame>, "functionName" | "url">): FrameGroup {
  if (functionName === "(garbage collector)") return "gc";
  if (url.startsWith("node:")) return "node";
  const packageName = packageOf(url);
  if (packageName === undefined) {
    if (url === "") return "native";
    return url.includes("/proto/gen/") ? "proto" : "services";
  }
  if (packageName === "mongodb" || packageName === "bson") return "driver";
  if (packageName === "@grpc/grpc-js") return "grpc";
  return packageName.startsWith("@bufbuild/") ? "proto" : "other packages";
}

function packageOf(url: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
}

function fileOf(url: string): string {
  if (url === "" || url.startsWith("node:")) return url;
  const packageName = packageOf(url);
  if (packageName !== undefined) return `${packageName}/${url.split("/").at(-1)}`;
  return /(?:services|proto|test)\/.*$/.exec(url)?.[0] ?? (url.split("/").at(-1) || url);
}
