import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { immutable, sendRendition } from "../http/rendition.ts";
import type { PageAssets } from "./page-assets.ts";

/**
 * Returns the handler for the files that pages load; see {@link PageAssets.files}.
 *
 * @param folder the path below which the files are served, with `/` at the end
 * @param missing creates the error for the name of no file. Default: `not_found`
 */
export function sendAsset(
  { files }: Pick<PageAssets, "files">,
  folder: string,
  missing = () => new ServiceError("not_found", "There is no such file."),
): EdgeMiddleware {
  return (ctx) => {
    const file = files.get(ctx.state.target.path.slice(folder.length));
    if (file === undefined) throw missing();
    ctx.set(immutable);
    sendRendition(ctx, file);
  };
}
