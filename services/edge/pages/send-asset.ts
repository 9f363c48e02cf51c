import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { immutable, sendRendition } from "../http/rendition.ts";
import { type PageAssets, withoutHash } from "./page-assets.ts";

/**
 * Returns the handler for the files that pages load; see {@link PageAssets.files}. In place of a file of another
 * release, it sends that of this one, which no cache may store: while two releases run, a page of one may load its
 * files from the other, and caches keep old pages and cards of links.
 *
 * @param folder the path below which the files are served, with `/` at the end
 * @param missing creates the error for the name of no file. Default: `not_found`
 */
export function sendAsset(
  { files }: Pick<PageAssets, "files">,
  folder: string,
  missing = () => new ServiceError("not_found", "There is no such file."),
): EdgeMiddleware {
  const byPlainName = new Map([...files].map(([name, file]) => [withoutHash(name), file]));
  return (ctx) => {
    const name = ctx.state.target.path.slice(folder.length);
    const own = files.get(name);
    const file = own ?? byPlainName.get(withoutHash(name) ?? "");
    if (file === undefined) throw missing();
    if (own !== undefined) ctx.set(immutable);
    sendRendition(ctx, file);
  };
}
