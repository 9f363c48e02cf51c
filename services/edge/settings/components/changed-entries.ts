import { FormRefusal, type SentForm, type Visit } from "../model/settings-page.ts";

/** Prefix of the hidden fields that contain the values with which a form was shown. */
export const shownPrefix = "shown-";

/**
 * Compares the entries of a form with the values that it was shown with, and with the current values. Thus a form that
 * was opened before another change, for example in a second tab, does not revert that change.
 *
 * @param current the current values, by the name of their field
 * @returns `changed`: the fields that the merchant changed, and those without a shown value; `conflicts`: those of them
 * that somebody else has changed to another value in the meantime
 */
export function changedEntries<Name extends string>(
  form: Pick<SentForm, "text" | "has">,
  current: Readonly<Record<Name, string>>,
): { readonly changed: ReadonlySet<Name>; readonly conflicts: readonly Name[] } {
  const names = Object.keys(current).filter((name): name is Name => Object.hasOwn(current, name));
  const isShown = (name: Name) => form.has(shownPrefix + name);
  const shown = (name: Name) => form.text(shownPrefix + name);
  const changed = names.filter((name) => !isShown(name) || form.text(name) !== shown(name));
  const conflicts = changed.filter((name) => {
    const value = current[name].trim();
    return isShown(name) && value !== shown(name) && value !== form.text(name);
  });
  return { changed: new Set(changed), conflicts };
}

/** Refuses a form with conflicts. @param shown returns the current value of a field as its form shows it */
export function refuseConflicts<Name extends string>(
  { text }: Visit,
  conflicts: readonly Name[],
  shown: (name: Name) => string,
): void {
  const mistakes = conflicts.map((field) => {
    const value = shown(field) || text("settings.store.empty");
    return { field, text: text("settings.store.changedMeanwhile", { value }) };
  });
  if (mistakes.length > 0) throw new FormRefusal(mistakes);
}
