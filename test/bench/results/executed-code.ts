import { transformSync } from "@swc/core";

/**
 * Returns the part of a source file that affects the measured figures: JavaScript and TypeScript without comments,
 * types and layout, and contracts (.proto) without comment lines.
 *
 * @param path its extension determines the language
 * @returns the empty string for tests, declaration files and Markdown; the content itself for other languages
 */
export function executedCode(path: string, content: string): string {
  if (/\.(test\.ts|d\.ts|md)$/.test(path)) return "";
  if (/\.[jt]s$/.test(path)) {
    const parser = { syntax: "typescript" } as const;
    return transformSync(content, { jsc: { parser, target: "esnext", preserveAllComments: false, minify: minified } })
      .code;
  }
  return path.endsWith(".proto") ? content.replaceAll(/^\s*\/\/.*\n/gm, "") : content;
}

// Minifies only the layout: shortening names and folding constants would take time without affecting the comparison.
const minified = { compress: false, mangle: false, format: { comments: false } } as const;
