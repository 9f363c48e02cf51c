import { jsonType } from "../http/error-document.ts";
import { sendFixed, shortCaching, textRendition } from "../http/rendition.ts";
import type { Route } from "../http/route.ts";
import { openApiDocument } from "./document.ts";

/** Path of the OpenAPI document. */
export const openApiPath = "/v1/openapi.json";

/** Builds the route of the OpenAPI document, which needs no key; it responds with 304 to the current version's ETag. */
export function documentRoute(): Route {
  const document = textRendition(jsonType, Buffer.from(JSON.stringify(openApiDocument)));
  return { path: openApiPath, get: [sendFixed(document, { "Cache-Control": shortCaching })] };
}
