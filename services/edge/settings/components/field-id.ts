/** Returns the id of a form's field, to which the list of errors links. @param scope see SettingsForm */
export function fieldId(action: string, scope: string, field: string): string {
  return [action, scope, field].filter((part) => part !== "").join("-");
}
