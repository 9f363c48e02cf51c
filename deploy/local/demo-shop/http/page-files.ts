import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { shopProducts } from "../shop/product.ts";

/** The demo shop's page, or a file that it loads. */
export interface PageFile {
  readonly contentType: string;
  readonly body: Buffer;
}

const own = (name: string) => readFileSync(new URL(`../assets/${name}`, import.meta.url));
const edgeStyles = () => readFileSync(new URL("../../../../services/edge/pages/assets/base.css", import.meta.url));
const scripts = ["demo-shop.js", "elements.js", "journey-view.js", "order-view.js"];
const styles = ["demo-shop.css", "journey.css"];
const font = (subset: string) => `@fontsource/cormorant-garamond/files/cormorant-garamond-${subset}-600-normal.woff2`;

/** Reads the page and the files that it loads. @returns the files by URL path; the page is `/` */
export function loadPageFiles(docsUrl: string): ReadonlyMap<string, PageFile> {
  const require = createRequire(import.meta.url);
  const page = own("demo-shop.html").toString().replaceAll("{docs}", docsUrl);
  const entries: (readonly [string, string, Buffer])[] = [
    ["/", "text/html; charset=utf-8", Buffer.from(page)],
    ["/demo-shop.css", "text/css; charset=utf-8", Buffer.concat([edgeStyles(), ...styles.map(own)])],
    ["/display.woff2", "font/woff2", readFileSync(require.resolve(font("latin")))],
    ["/display-latin-ext.woff2", "font/woff2", readFileSync(require.resolve(font("latin-ext")))],
    ["/display-vietnamese.woff2", "font/woff2", readFileSync(require.resolve(font("vietnamese")))],
    ["/products.json", "application/json", Buffer.from(JSON.stringify(shopProducts))],
    ...scripts.map((name) => [`/${name}`, "text/javascript; charset=utf-8", own(name)] as const),
    ...shopProducts.map(({ picture }) => {
      return [`/pictures/${picture}.svg`, "image/svg+xml", own(`pictures/${picture}.svg`)] as const;
    }),
  ];
  return new Map(entries.map(([path, contentType, body]) => [path, { contentType, body }]));
}
