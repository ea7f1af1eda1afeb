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
        attachment(id: number): { fetch(): unknown };
      };
    };
  }
}

/** Opens WordPress' own dialog to choose or upload images. `choose` gets their ids. */
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
  // It would begin with its form for uploads, until somebody has looked at the library once.
  frame?.on('open', () => frame.content.mode('browse'));
  frame?.open();
}
