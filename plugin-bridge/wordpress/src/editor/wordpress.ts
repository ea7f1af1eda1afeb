/** A block of the editor. */
export interface Block {
  clientId: string;
  name: string;
  attributes: Record<string, unknown>;
  innerBlocks: Block[];
}

/** Something that React renders. */
export type Rendered = object | string | null | false | Rendered[];
type Component = string | object | ((props: never) => Rendered);

interface BlockEditorSelectors {
  getBlocks(): Block[];
  getBlock(clientId: string): Block | null;
}
interface EditorSelectors {
  getEditedPostAttribute(name: string): unknown;
}
interface BlockEditorActions {
  updateBlockAttributes(clientId: string, attributes: Record<string, unknown>): void;
  selectBlock(clientId: string): void;
}
interface NoticeActions {
  createNotice(status: string, text: string, options: object): void;
}

interface Select {
  (store: 'core/block-editor'): BlockEditorSelectors;
  (store: 'core/editor'): EditorSelectors | undefined;
}
interface Dispatch {
  (store: 'core/block-editor'): BlockEditorActions;
  (store: 'core/notices'): NoticeActions;
  (store: 'core/edit-post'): { openGeneralSidebar?(name: string): void } | undefined;
}

/** The scripts of WordPress that the editor's panels use. */
interface EditorScripts {
  element: {
    createElement(type: Component, props?: object | null, ...children: Rendered[]): Rendered;
    Fragment: Component;
    useState<T>(initial: T): [T, (value: T) => void];
    useEffect(effect: () => (() => void) | undefined, inputs: unknown[]): void;
  };
  components: Record<'PanelBody' | 'Button' | 'ToggleControl' | 'Spinner', Component>;
  blockEditor: { InspectorControls: Component };
  compose: { createHigherOrderComponent(wrap: (edit: Component) => Component, name: string): unknown };
  apiFetch: {
    use(middleware: (options: object, next: (options: object) => Promise<unknown>) => Promise<unknown>): void;
  };
  hooks: { addFilter(hook: string, name: string, filter: unknown): void };
  plugins: { registerPlugin(name: string, settings: { render: () => Rendered }): void };
  data: { useSelect<T>(map: (select: Select) => T, inputs: unknown[]): T; select: Select; dispatch: Dispatch };
  /** WordPress before 6.6 has the panel in `editPost`. */
  editor?: { PluginPrePublishPanel?: Component };
  editPost?: { PluginPrePublishPanel?: Component };
}

/** The scripts of WordPress. */
export const wp = (window as unknown as { wp: EditorScripts }).wp;

/** Creates a React element. */
export const h: EditorScripts['element']['createElement'] = (type, props, ...children) =>
  wp.element.createElement(type, props, ...children);
