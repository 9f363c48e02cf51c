import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { jsonType } from "../http/error-document.ts";
import { openApiDocument } from "./document.ts";
import type { StaticFile } from "./static-file.ts";

// URLs are relative, so that the page works behind an ingress that adds a path prefix.
const script = `
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);
SwaggerUIBundle({
  url: "../v1/openapi.json",
  dom_id: "#viewer",
  validatorUrl: null,
  deepLinking: true,
  supportedSubmitMethods: ["get", "head"],
  defaultModelsExpandDepth: 0,
});
`;

// The viewer's tables are wider than a phone screen: each table scrolls, not the page.
const style = `
body { margin: 0; background: #fff; }
html.dark-mode body { background: #1c2022; }
nav { padding: 16px 20px 0; font: 16px/1.5 system-ui, sans-serif; }
nav a { color: #8a6628; }
html.dark-mode nav a { color: #d8b679; }
.swagger-ui .renderedMarkdown td { padding-right: 16px; }
@media (max-width: 640px) {
  .swagger-ui .renderedMarkdown table { display: block; overflow-x: auto; }
  .swagger-ui .table-container, .swagger-ui .responses-inner { overflow-x: auto; }
  .swagger-ui .info { margin: 24px 0; }
}
`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certificate registry API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="viewer.css">
<style>${style}</style>
</head>
<body>
<nav><a href="../docs">‹ Docs for integrators</a></nav>
<main id="viewer"></main>
<noscript>This page requires JavaScript. Read the <a href="../v1/openapi.json">OpenAPI document</a> instead.</noscript>
<script src="viewer.js"></script>
<script>${script}</script>
</body>
</html>
`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// Allows only scripts, styles and data of this host, images in data: URLs, and the inline script and style above.
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'self' ${hashOf(script)}`,
  `style-src 'self' ${hashOf(style)}`,
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Returns the files of the API documentation by path: the OpenAPI document, the page that displays it, and its viewer.
 */
export function descriptionFiles(): ReadonlyMap<string, StaticFile> {
  const viewer = (file: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
  return new Map<string, StaticFile>([
    ["/v1/openapi.json", { bytes: Buffer.from(JSON.stringify(openApiDocument)), contentType: jsonType }],
    ["/docs/api", { bytes: Buffer.from(page), contentType: "text/html; charset=utf-8", contentSecurityPolicy }],
    ["/docs/viewer.js", { bytes: viewer("swagger-ui-bundle.js"), contentType: "text/javascript; charset=utf-8" }],
    ["/docs/viewer.css", { bytes: viewer("swagger-ui.css"), contentType: "text/css; charset=utf-8" }],
  ]);
}
