// The arrows of services/README.md, as rules. `npm run check:imports` and test/guard prove them.
const service = (name) => `^services/${name}/`;
const forbid = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });

module.exports = {
  forbidden: [
    forbid("no-cycles", {}, { circular: true }, "A cycle has no order in which it can be read."),
    forbid(
      "shared-knows-no-service",
      { path: service("shared") },
      { path: "^services/(?!shared/)" },
      "What services share never imports a service.",
    ),
    forbid(
      "services-meet-over-grpc",
      { path: "^services/(registry|edge|notifier|cli)/" },
      { path: "^services/(registry|edge|notifier|cli)/", pathNot: "^services/$1/" },
      "A service reaches another one through its contract, never through its code.",
    ),
    forbid(
      "mongodb-in-one-place",
      { path: "^services/", pathNot: "^services/registry/mongo/" },
      { path: "node_modules/(mongodb|bson)/" },
      "services/registry/mongo alone knows the database driver.",
    ),
    forbid(
      "domain-knows-no-storage",
      { path: "^services/registry/(certificates|stores|deliveries|outbox|secrets)/" },
      { path: "^services/registry/(mongo|rpc)/" },
      "Decisions know neither storage nor transport; run.ts joins them.",
    ),
    forbid(
      "storage-knows-no-transport",
      { path: "^services/registry/mongo/" },
      { path: "^services/registry/rpc/" },
      "Storage and transport meet in run.ts alone.",
    ),
    forbid(
      "transport-knows-no-storage",
      { path: "^services/registry/rpc/" },
      { path: "^services/registry/mongo/" },
      "Storage and transport meet in run.ts alone.",
    ),
    forbid(
      "koa-in-the-edge",
      { path: "^services/(?!edge/)" },
      { path: "node_modules/(koa|@koa)/" },
      "Public HTTP is the edge's.",
    ),
    forbid(
      "services-know-no-surroundings",
      { path: "^services/", pathNot: "\\.test\\.ts$" },
      { path: "^(test|deploy)/" },
      "What runs in production does not need what runs it on one machine, or tests it.",
    ),
    forbid(
      "main-is-nobodys",
      { pathNot: "\\.test\\.ts$" },
      { path: "^services/[^/]+/main\\.ts$" },
      "main.ts starts a process when it is imported.",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^proto/gen/" },
    parser: "swc",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
