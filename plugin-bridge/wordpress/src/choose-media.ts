/** The part of `wp.media` that is used. */
interface MediaFrame {
  on(event: string, listener: () => void): void;
  open(): void;
  content: { mode(name: 'browse'): void };
  state(): { get(name: 'selection'): { toJSON(): { id: number }[] } };
}

declare global {
  interface Window {
    wp?: {
      media?: ((options: Record<string, unknown>) => MediaFrame) & {
        attachment(id: number): { fetch(): unknown; get(name: string): unknown };
      };
    };
  }
}

/** Opens the media dialog of WordPress. Calls `choose` with the ids of the chosen images. */
export function chooseMedia(strings: Record<string, string>, choose: (ids: string[]) => void): void {
  const frame = window.wp?.media?.({
    title: strings.chooseTitle,
    button: { text: strings.chooseButton },
    library: { type: 'image' },
    multiple: 'add',
  });
  frame?.on('select', () =>
    choose(
      frame
        .state()
        .get('selection')
        .toJSON()
        .map(({ id }) => String(id)),
    ),
  );
  // The dialog would open its upload form at first.
  frame?.on('open', () => frame.content.mode('browse'));
  frame?.open();
}
