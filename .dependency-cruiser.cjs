// The import rules of services/ARCHITECTURE.md. `npm run check:imports` and test/slow/imports.test.ts enforce them.
const service = (name) => `^services/${name}/`;
const forbid = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });

// swc's visitor does not know `using` declarations, which contain no import.
const { Visitor } = require("@swc/core/Visitor.js");

const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function visit(statement) {
  return statement.type === "UsingDeclaration" ? statement : visitStatement.call(this, statement);
};

module.exports = {
  forbidden: [
    forbid(
      "no-cycles",
      {},
      { circular: true },
      "Modules in a cycle cannot be understood or initialized one at a time.",
    ),
    {
      name: "no-folder-cycles",
      severity: "error",
      comment: "Folders of a service depend on each other in one direction.",
      scope: "folder",
      from: { path: "^services/([^/]+)/" },
      to: { circular: true, path: "^services/$1/" },
    },
    forbid(
      "shared-imports-no-service",
      { path: service("shared") },
      { path: "^services/(?!shared/)" },
      "services/shared serves all services and depends on none of them.",
    ),
    forbid(
      "client-stands-alone",
      { path: service("client"), pathNot: "(\\.test|-fixture)\\.ts$" },
      { pathNot: "^services/client/" },
      "The client library has no dependencies and runs in every JavaScript runtime.",
    ),
    forbid(
      "client-is-for-integrators",
      { path: "^services/(?!client/)", pathNot: "^services/cli/commands/webhook/" },
      { path: service("client") },
      "The client library is published; the services do not use it. certctl listens with it, like an integrator.",
    ),
    forbid(
      "services-meet-over-grpc",
      { path: "^services/(registry|edge|notifier|cli)/" },
      { path: "^services/(registry|edge|notifier|cli)/", pathNot: "^services/$1/" },
      "A service calls another one through its contract and imports none of its code.",
    ),
    forbid(
      "mongodb-in-one-place",
      { path: "^services/", pathNot: "^services/registry/mongo/" },
      { path: "node_modules/(mongodb|bson)/" },
      "Only services/registry/mongo uses the database driver.",
    ),
    forbid(
      "domain-imports-no-storage",
      {
        path:
          "^services/registry/(admissions|certificates|diagnostics|list-requests|listening|load|sessions|stores|" +
          "storefront|deliveries|imports|leases|outbox|persons|secrets|values|triggers|automation)/",
      },
      { path: "^services/registry/(mongo|rpc|operator-api)/" },
      "The domain declares the storage it needs; wire-services.ts passes the implementation.",
    ),
    forbid(
      "storage-imports-no-transport",
      { path: "^services/registry/mongo/" },
      { path: "^services/registry/(rpc|operator-api)/" },
      "Only wire-services.ts knows both storage and transport.",
    ),
    forbid(
      "transport-imports-no-storage",
      { path: "^services/registry/(rpc|operator-api)/" },
      { path: "^services/registry/mongo/" },
      "Only wire-services.ts knows both storage and transport.",
    ),
    forbid(
      "koa-only-in-edge",
      { path: "^services/(?!edge/)" },
      { path: "node_modules/(koa|@koa)/" },
      "Only the edge serves public HTTP.",
    ),
    forbid(
      "production-imports-no-tests",
      { path: "^services/", pathNot: "(\\.test|-fixture)\\.ts$" },
      { path: "^(test|deploy)/" },
      "Production code depends neither on tests nor on deployment tooling.",
    ),
    forbid(
      "main-is-not-imported",
      { pathNot: "\\.test\\.ts$" },
      { path: "^services/[^/]+/main\\.ts$" },
      "Importing main.ts starts the process.",
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
