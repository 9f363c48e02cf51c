import { jsonType } from "../http/error-document.ts";
import { docsFiles } from "./docs-page.ts";
import { openApiDocument } from "./document.ts";
import type { StaticFile } from "./static-file.ts";

/** The files of the API documentation by path: the OpenAPI document and the page that displays it. */
export function descriptionFiles(): ReadonlyMap<string, StaticFile> {
  const document = { bytes: Buffer.from(JSON.stringify(openApiDocument)), contentType: jsonType };
  return new Map([["/v1/openapi.json", document], ...docsFiles()]);
}
