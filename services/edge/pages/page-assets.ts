import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { binaryRendition, type Rendition, textRendition } from "../http/rendition.ts";
import { frameSvg, rosetteSvg, sealSvg } from "./ornaments.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

// Joined into one file in this order: later rules override earlier ones.
const pageStyles = ["base.css", "certificate.css", "form.css", "print.css"];
const settingsStyles = ["base.css", "form.css", "side-menu.css", "settings.css", "settings-content.css"];
const docsStyles = ["base.css", "side-menu.css", "docs.css"];
const explorerStyles = ["base.css", "side-menu.css", "docs.css", "explorer.css"];
const sheetStyles = ["base.css", "certificate.css", "print.css", "sheets.css"];

const read = (file: string) => readFileSync(new URL(`assets/${file}`, import.meta.url));

/** A file that pages load, under a name that changes with its content. */
interface Asset {
  readonly name: string;
  readonly rendition: Rendition;
}

/** The names of the files that all pages of one kind load. */
export interface PageFiles {
  readonly stylesheet: string;
  readonly script: string;
  /** The font's Latin subset, which every page needs. */
  readonly font: string;
}

/**
 * The files that the edge serves for its pages: style sheets, scripts, the font in three subsets, and the images for
 * link previews. `stylesheet`, `script` and `font` are the names of the verification pages' files.
 */
export interface PageAssets extends PageFiles {
  /** All files by the name in their URL. */
  readonly files: ReadonlyMap<string, Rendition>;
  /** The files of the merchants' settings. */
  readonly settings: PageFiles;
  /** The files of the guide for integrators. */
  readonly docs: PageFiles;
  /** The files of the API explorer; `viewer` is the script that shows the OpenAPI document. */
  readonly explorer: PageFiles & { readonly viewer: string };
  /** The files of sheets that merchants print. */
  readonly sheets: PageFiles;
  /**
   * Returns the name of the image for link previews of a certificate in a state and a language; in English if the
   * language has none. A JPEG, because services that show previews do not accept SVG. test/browser/link-cards.test.ts
   * renders the images.
   */
  card(state: string, language: string): string;
}

/** Reads the files that pages load, and joins the style sheets. */
export function loadPageAssets(): PageAssets {
  const display = fontAsset("display.woff2", "latin");
  const latinExt = fontAsset("display-latin-ext.woff2", "latin-ext");
  const vietnamese = fontAsset("display-vietnamese.woff2", "vietnamese");
  const cards = new Map(
    readdirSync(new URL("assets/cards", import.meta.url)).map((file) => [
      file,
      binaryAsset(file, "image/jpeg", read(`cards/${file}`)),
    ]),
  );
  // The SVGs are part of the stylesheet: as separate files, which a browser discovers late, they would delay the
  // largest contentful paint.
  const urls = {
    "display.woff2": display.name,
    "display-latin-ext.woff2": latinExt.name,
    "display-vietnamese.woff2": vietnamese.name,
    "frame.svg": dataUrl(frameSvg()),
    "rosette.svg": dataUrl(rosetteSvg()),
    "seal.svg": dataUrl(sealSvg()),
  };
  const styled = (name: string, files: readonly string[], before = "") =>
    textAsset(
      name,
      Object.entries(urls).reduce(
        (css, [file, url]) => css.replaceAll(`url("${file}")`, `url("${url}")`),
        compact([before, ...files.map((file) => read(file).toString())].join("\n")),
      ),
    );
  const scripted = (name: string) => textAsset(name, read(name).toString());
  const page = { stylesheet: styled("page.css", pageStyles), script: scripted("page.js") };
  const settings = { stylesheet: styled("settings.css", settingsStyles), script: scripted("settings.js") };
  const sheets = { stylesheet: styled("sheets.css", sheetStyles), script: settings.script };
  const docs = { stylesheet: styled("docs.css", docsStyles), script: scripted("docs.js") };
  const swagger = (file: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
  const explorer = {
    // The guide's own rules come last.
    stylesheet: styled("explorer.css", explorerStyles, swagger("swagger-ui.css").toString()),
    script: scripted("explorer.js"),
    viewer: textAsset("viewer.js", swagger("swagger-ui-bundle.js").toString()),
  };
  const all = [
    display,
    latinExt,
    vietnamese,
    ...cards.values(),
    ...[page, settings, sheets, docs, explorer].flatMap((files) => Object.values(files)),
  ];
  const namesOf = (files: typeof page): PageFiles => {
    return { stylesheet: files.stylesheet.name, script: files.script.name, font: display.name };
  };
  return {
    files: new Map(all.map(({ name, rendition }) => [name, rendition])),
    ...namesOf(page),
    card: (state, language) => (cards.get(`${state}-${language}.jpg`) ?? cards.get(`${state}-en.jpg`))?.name ?? "",
    settings: namesOf(settings),
    sheets: namesOf(sheets),
    docs: namesOf(docs),
    explorer: { ...namesOf(explorer), viewer: explorer.viewer.name },
  };
}

/** Removes comments and indentation from a style sheet: a fifth of what a browser loads. */
function compact(css: string): string {
  return css.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\n\s*/g, "\n");
}

function textAsset(name: string, text: string): Asset {
  const bytes = Buffer.from(text);
  return { name: hashed(name, bytes), rendition: textRendition(contentTypes[extname(name)] ?? "", bytes) };
}

/** The font for headings, as far as it has the characters of a subset; base.css says which these are. */
function fontAsset(name: string, subset: "latin" | "latin-ext" | "vietnamese"): Asset {
  const latin = createRequire(import.meta.url).resolve(
    "@fontsource/cormorant-garamond/files/cormorant-garamond-latin-600-normal.woff2",
  );
  const file = join(dirname(latin), `cormorant-garamond-${subset}-600-normal.woff2`);
  return binaryAsset(name, "font/woff2", readFileSync(file));
}

function binaryAsset(name: string, contentType: string, bytes: Buffer): Asset {
  return { name: hashed(name, bytes), rendition: binaryRendition(contentType, bytes) };
}

function hashed(name: string, bytes: Buffer): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  return name.replace(".", `.${hash}.`);
}

/** Returns the name of a file without the hash of its content; undefined for a name that contains no hash. */
export function withoutHash(name: string): string | undefined {
  const [, start, end] = /^([^.]+)\.[0-9a-f]{12}\.([^.]+)$/.exec(name) ?? [];
  return start === undefined ? undefined : `${start}.${end}`;
}

/** Returns an SVG as a URL for a quoted `url()` in CSS. */
function dataUrl(svg: string): string {
  return `data:image/svg+xml,${svg.replaceAll(/[%#"<>]/g, encodeURIComponent)}`;
}
