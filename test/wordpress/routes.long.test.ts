import { beforeAll, describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import type { SiteUser } from './site/site-user.ts';
import { createEditor } from './through-proxy.ts';
import { useRig } from './use-rig.ts';

/** Those who may call a route: users of the plugin, those who may change the image or read it, administrators of the site. */
type Allowed = 'users' | 'changers' | 'readers' | 'administrators';

interface Route {
  allowed: Allowed;
  /** Path with its query and the body, both valid: WordPress checks them before it asks for the permission. */
  path(id: number): string;
  body?: object;
}

const HASH = 'a'.repeat(64);
const SESSION = `sess_${'a'.repeat(22)}`;
const IMAGE = `img_${'a'.repeat(22)}`;
const ONE = String.raw`/attachments/(?P<id>\d+)`;
const of = (rest: string) => (id: number) => `/attachments/${id}${rest}`;
const plain = (path: string) => () => path;

/** Each route that the plugin registers, by its methods and pattern. A new one fails the test until it has a line. */
const ROUTES: Record<string, Route> = {
  'GET /attachments': { allowed: 'users', path: plain('/attachments') },
  [`GET ${ONE}`]: { allowed: 'changers', path: of('') },
  [`GET ${ONE}/original`]: { allowed: 'changers', path: of('/original') },
  [`GET ${ONE}/check`]: { allowed: 'changers', path: of(`/check?size=1&sha256=${HASH}`) },
  'GET /status': { allowed: 'users', path: plain('/status') },
  'GET /export-settings': { allowed: 'users', path: plain('/export-settings') },
  [`POST ${ONE}/attach`]: { allowed: 'changers', path: of('/attach'), body: {} },
  [`POST ${ONE}/optimize`]: { allowed: 'changers', path: of('/optimize'), body: {} },
  [`POST ${ONE}/replace`]: {
    allowed: 'changers',
    path: of('/replace'),
    body: { sessionId: SESSION, imageId: IMAGE, sha256: HASH },
  },
  [`POST ${ONE}/restore`]: { allowed: 'changers', path: of('/restore'), body: {} },
  [`POST ${ONE}/describe`]: { allowed: 'readers', path: of('/describe'), body: {} },
  [`POST ${ONE}/text`]: { allowed: 'changers', path: of('/text'), body: { was: '', alt: 'A hill' } },
  [`POST ${ONE}/confirm`]: { allowed: 'changers', path: of('/confirm'), body: { alt: 'A hill' } },
  'POST /weigh': { allowed: 'users', path: plain('/weigh'), body: { url: '/' } },
  'GET /texts/unconfirmed': { allowed: 'users', path: plain('/texts/unconfirmed') },
  'GET /texts/audit': { allowed: 'users', path: plain('/texts/audit') },
  'GET /run': { allowed: 'users', path: plain('/run') },
  'POST /run': { allowed: 'users', path: plain('/run'), body: { kind: 'optimize', ids: [0] } },
  'PATCH /run': { allowed: 'users', path: plain('/run'), body: { state: 'stopped' } },
  'DELETE /run': { allowed: 'users', path: plain('/run') },
  'POST /run/work': { allowed: 'users', path: plain('/run/work'), body: {} },
  'GET /run/preview': { allowed: 'users', path: plain('/run/preview') },
  'GET /states': { allowed: 'users', path: plain('/states?ids[]=1') },
  'GET /service(?P<path>/v1/.+)': { allowed: 'users', path: plain('/service/v1/credits/balance') },
  'POST /service(?P<path>/v1/.+)': { allowed: 'users', path: plain('/service/v1/sessions'), body: {} },
  'PATCH /service(?P<path>/v1/.+)': {
    allowed: 'users',
    path: plain(`/service/v1/sessions/${SESSION}/images/${IMAGE}`),
    body: {},
  },
  'DELETE /service(?P<path>/v1/.+)': { allowed: 'users', path: plain(`/service/v1/sessions/${SESSION}`) },
  'POST /connection': { allowed: 'administrators', path: plain('/connection'), body: {} },
};

const LISTED = `$found = array();
foreach ( rest_get_server()->get_routes( 'imagewright/v1' ) as $route => $handlers ) {
  foreach ( $handlers as $handler ) {
    // The index of the namespace is WordPress's own.
    if ( '/imagewright/v1' === $route ) { continue; }
    foreach ( array_keys( $handler['methods'] ) as $method ) { $found[] = $method . ' ' . substr( $route, strlen( '/imagewright/v1' ) ); }
  }
}
return $found;`;

/** Entries beside the REST API that a request can reach. */
const OTHER_HOOKS = `return array_values( array_filter( array_keys( $GLOBALS['wp_filter'] ), function ( $name ) {
  if ( ! preg_match( '/^(wp_ajax_|admin_post_|admin_action_|load-|template_redirect|parse_request)/', $name ) ) { return false; }
  foreach ( $GLOBALS['wp_filter'][ $name ]->callbacks as $callbacks ) {
    foreach ( $callbacks as $one ) {
      $owner = is_array( $one['function'] ) ? $one['function'][0] : $one['function'];
      if ( false !== stripos( is_object( $owner ) ? get_class( $owner ) : $owner, 'imagewright' ) ) { return true; }
    }
  }
  return false;
} ) );`;

const { rig, admin } = useRig();
let callers: Record<'subscriber' | 'author' | 'editor' | 'administrator', SiteUser>;
let id: number;

beforeAll(async () => {
  const editor = await createEditor(rig, { sub: 'subscriber', aut: 'author' });
  const [subscriber, author] = [await rig.site.logIn('sub', 'sub'), await rig.site.logIn('aut', 'aut')];
  callers = { subscriber, author, editor, administrator: admin };
  id = await admin.upload('of-the-administrator.jpg', await photograph(64), 'image/jpeg');
});

/** Roles that a route refuses with 403, for an image of the administrator. */
const REFUSED: Record<Allowed, (keyof typeof callers)[]> = {
  users: ['subscriber'],
  changers: ['subscriber', 'author'],
  readers: ['subscriber'],
  administrators: ['subscriber', 'author', 'editor'],
};

it('has a line for each route, and no entry beside the REST API', async () => {
  expect((await rig.site.php<string[]>(LISTED)).sort()).toEqual(Object.keys(ROUTES).sort());
  expect(await rig.site.php<string[]>(OTHER_HOOKS)).toEqual([]);
});

describe.each(Object.entries(ROUTES))('%s', (name, { allowed, path, body }) => {
  const [method = ''] = name.split(' ');

  it('refuses visitors, and users without their nonce or with another', async () => {
    const send = async (headers: Record<string, string>) => {
      const type: Record<string, string> = body ? { 'Content-Type': 'application/json' } : {};
      const response = await fetch(`${rig.site.url}/wp-json/imagewright/v1${path(id)}`, {
        method,
        headers: { ...type, ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return response.status;
    };
    expect(await send({})).toBe(401);
    expect(await send({ Cookie: admin.cookie })).toBe(401);
    expect(await send({ Cookie: admin.cookie, 'X-WP-Nonce': '0123456789' })).toBe(403);
    expect(await send({ Cookie: admin.cookie, 'X-WP-Nonce': callers.editor.nonce })).toBe(403);
  });

  it(`lets ${allowed} pass`, async () => {
    const passed: Record<string, boolean> = {};
    for (const [role, user] of Object.entries(callers)) {
      const { status } = await user.call(method, path(id), body);
      passed[role] = status !== 401 && status !== 403;
      expect([role, status < 500 || status === 502]).toEqual([role, true]);
    }
    const expected = Object.keys(callers).map((role) => [role, !REFUSED[allowed].includes(role as 'author')]);
    expect(passed).toEqual(Object.fromEntries(expected));
  });
});
