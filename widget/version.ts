/** Version of the widget: the one in package.json, which a test holds it to. */
export const VERSION = '0.1.0';
