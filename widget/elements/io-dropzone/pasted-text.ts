/** True for a place that takes text: a text field, or what can be edited. */
export function isForText(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // Of fields without a text, such as boxes, it is null.
  const isField =
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.selectionStart !== null);
  return isField || target.isContentEditable;
}

/**
 * True if a clipboard holds words: office programs add a picture of them. The names of copied files are no words.
 */
export function carriesText(data: DataTransfer): boolean {
  const names = [...data.files].map(({ name }) => name);
  const lines = data
    .getData('text/plain')
    .split(/\r?\n/)
    .filter((line) => line.trim());
  return lines.some((line) => !names.some((name) => line.endsWith(name) || line.endsWith(encodeURIComponent(name))));
}
