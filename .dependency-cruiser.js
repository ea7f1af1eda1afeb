// The import table of docs/architecture.md as rules. A rule that is in the way is changed here, on purpose, and there.

/** What each module may import beside itself and what all may import. */
const MAY_IMPORT = {
  contract: [],
  observability: [],
  config: [],
  db: [],
  storage: [],
  processing: [],
  sse: [],
  mail: [],
  cluster: ['db'],
  backup: ['db', 'cluster', 'storage'],
  budgets: ['db'],
  accounts: ['db'],
  'sign-in': ['accounts', 'budgets', 'db', 'mail'],
  sessions: ['db', 'storage', 'processing'],
  jobs: ['db'],
  analysis: ['budgets', 'jobs', 'sessions', 'storage', 'processing', 'db'],
  exports: ['jobs', 'sessions', 'storage', 'processing', 'db'],
  shares: ['accounts', 'db'],
  gateway: ['accounts', 'budgets', 'sign-in', 'shares'],
  doctor: ['accounts', 'analysis', 'backup', 'config', 'db', 'gateway', 'mail', 'storage'],
  http: ['gateway', 'accounts', 'sign-in', 'sessions', 'shares', 'analysis', 'exports', 'jobs', 'sse', 'storage'],
};
/** Modules that are programs of their own: they put others together, and nobody imports them. */
const PROGRAMS = ['admin', 'docs'];
/** Everybody may import these; `contract` itself imports zod alone. */
const FOR_ALL = String.raw`^server/(contract/index|contract/constants/index|observability/index|admin-command|errors|ids|version|concurrency)\.ts$`;
/** Files beside `storage` that have a reason of their own to open files. */
const FILE_SYSTEM_USERS = [
  '^server/storage/',
  '^server/db/embedded/',
  '^server/processing/',
  '^server/http/(uploads|downloads)/',
  String.raw`^server/sessions/import-url\.ts$`,
  String.raw`^server/accounts/pepper\.ts$`,
  '^server/config/',
  String.raw`^server/(compose-modules\.ts|start\.mjs)$`,
  '^server/(admin|backup|docs|doctor)/',
];

const layerRules = Object.entries(MAY_IMPORT).map(([module, allowed]) => ({
  name: `layer-${module}`,
  comment: `${module} may import ${allowed.join(', ') || 'no other module'}, and what all may import`,
  severity: 'error',
  from: { path: `^server/${module}/` },
  to: {
    path: '^server/',
    pathNot: [
      `^server/${[module, ...allowed].length > 1 ? `(${[module, ...allowed].join('|')})` : module}/`,
      ...(module === 'contract' ? [] : [FOR_ALL]),
      ...(module === 'config' ? [String.raw`^server/[^/]+/config\.ts$`] : []),
    ],
  },
}));

/** Nothing stands below the constants of the contract. */
const constantsRule = {
  name: 'constants-import-nothing',
  comment: 'browsers and workers load them',
  severity: 'error',
  from: { path: '^server/contract/constants/' },
  to: { pathNot: '^server/contract/constants/' },
};

/** Only the listed places may import a package. */
const onlyIn = (name, places, modules) => ({
  name: `only-${name}`,
  severity: 'error',
  from: { path: '^server/', pathNot: places },
  to: { path: modules },
});

/**
 * What runs outside the server, as folders: what each may import of the others, by their front doors, and of packages.
 * Of the server they may know the contract's types, which cost nothing at run time.
 */
const OUTSIDE = {
  'plugin-bridge/sdk': { may: [], packages: '^$' },
  'plugin-bridge/batch': { may: ['plugin-bridge/sdk'], packages: '^$' },
  'plugin-bridge/cli': { may: ['plugin-bridge/sdk', 'plugin-bridge/batch', 'server/processing'], packages: '.' },
  'plugin-bridge/unplugin': { may: ['plugin-bridge/cli/record-path', 'server/processing'], packages: '^$' },
  'plugin-bridge/host': {
    may: ['plugin-bridge/sdk', 'plugin-bridge/batch', 'widget/events'],
    packages: 'node_modules/p-limit/',
  },
  'plugin-bridge/wordpress/src': { may: ['plugin-bridge/sdk', 'plugin-bridge/host', 'widget'], packages: '^$' },
  'plugin-bridge/wordpress/build': {
    may: ['widget', 'widget/build/browsers', 'widget/build/plugins', 'plugin-bridge/host'],
    packages: 'node_modules/(vite|fflate|gettext-parser)/',
  },
  'widget/i18n': { may: [], packages: '^$' },
  'widget/styles': { may: [], packages: 'node_modules/lit' },
  'widget/state': { may: ['plugin-bridge/sdk', 'plugin-bridge/batch', 'widget/i18n', 'widget/events'], packages: '^$' },
  'widget/elements': {
    may: ['widget/state', 'widget/i18n', 'widget/styles', 'widget/events', 'widget/version'],
    packages: 'node_modules/(lit|@lit)',
  },
  'widget/dashboard': { may: ['widget', 'plugin-bridge/sdk'], packages: 'node_modules/(lit|@lit)' },
  'widget/link': { may: ['widget', 'plugin-bridge/sdk'], packages: 'node_modules/(lit|@lit)' },
  'widget/share': { may: ['widget', 'plugin-bridge/sdk'], packages: 'node_modules/(lit|@lit)' },
  'widget/demo': { may: ['widget', 'plugin-bridge/sdk', 'plugin-bridge/host'], packages: 'node_modules/(lit|@lit)' },
};
/** The engine, and what of it costs nothing to load. */
const ENGINE_DOORS = [String.raw`^server/processing/(index|write-html|cache-key)\.ts$`];
/** They hand over to `server/start.mjs`, which builds and starts whatever there is, and do nothing else. */
const LAUNCHERS = String.raw`/bin\.mjs$`;
/** A folder's front door or, of a name without a folder, that file; of the widget also what its folders offer. */
const doorsOf = (name) => [
  String.raw`^${name}(/index|/define|/events|/version)?\.ts$`,
  ...(name === 'widget' ? [String.raw`^widget/[^/]+/index\.ts$`, String.raw`^widget/elements/[^/]+/index\.ts$`] : []),
];

const outsideRules = Object.entries(OUTSIDE).flatMap(([folder, { may, packages }]) => [
  {
    name: `outside-${folder.replace('/', '-')}`,
    comment: `${folder} may import ${may.join(', ') || 'nothing of ours'}, and types of the contract`,
    severity: 'error',
    from: { path: `^${folder}/`, pathNot: LAUNCHERS },
    to: {
      path: '^(server|widget|plugin-bridge|test)/',
      pathNot: [
        `^${folder}/`,
        ...may.flatMap((name) => (name === 'server/processing' ? ENGINE_DOORS : doorsOf(name))),
        String.raw`^server/contract/(constants/)?index\.ts$`,
      ],
    },
  },
  {
    name: `packages-of-${folder.replace('/', '-')}`,
    severity: 'error',
    from: { path: `^${folder}/` },
    to: { path: 'node_modules/', pathNot: packages, dependencyTypesNot: ['type-only'] },
  },
]);

export default {
  forbidden: [
    { name: 'no-cycles', comment: 'type imports included', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      comment: 'types for frameworks import those, which the pages that use them have',
      severity: 'error',
      from: { pathNot: '^widget/frameworks/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-packages-only',
      comment: 'the service runs without development dependencies',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/start\\.mjs$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'front-door-only',
      comment: 'outsiders enter a module by its index.ts; config reads the config.ts leaves',
      severity: 'error',
      from: { path: '^server/([^/]+)/', pathNot: '^server/config/' },
      to: {
        path: '^server/[^/]+/.',
        pathNot: ['^server/$1/', String.raw`^server/([^/]+|contract/constants)/index\.ts$`],
      },
    },
    {
      name: 'front-door-only-for-root-files',
      severity: 'error',
      from: { path: '^server/[^/]+$' },
      to: { path: '^server/[^/]+/.', pathNot: String.raw`^server/([^/]+|contract/constants)/index\.ts$` },
    },
    {
      name: 'programs-are-not-imported',
      severity: 'error',
      from: { path: '^server/([^/]+)' },
      to: { path: `^server/((${PROGRAMS.join('|')})/|main\\.ts|start\\.mjs)`, pathNot: '^server/$1/' },
    },
    {
      name: 'composition-root-is-on-top',
      comment: 'only programs put modules together',
      severity: 'error',
      from: { path: '^server/', pathNot: `^server/(main\\.ts|compose(-modules)?\\.ts|(${PROGRAMS.join('|')})/)` },
      to: { path: '^server/compose(-accounts|-modules)?\\.ts$' },
    },
    {
      name: 'root-files-know-no-module',
      comment: 'what all may import stands below all',
      severity: 'error',
      from: { path: String.raw`^server/(admin-command|errors|ids|version|concurrency)\.ts$` },
      to: { path: '^server/[^/]+/', pathNot: '^server/contract/(constants/)?index\\.ts$' },
    },
    {
      name: 'embedded-database-knows-nothing-of-the-service',
      severity: 'error',
      from: { path: '^server/db/embedded/' },
      to: { path: '^server/', pathNot: '^server/db/embedded/' },
    },
    {
      name: 'embedded-database-by-its-front-door',
      severity: 'error',
      from: { path: '^server/db/(?!embedded/)' },
      to: { path: '^server/db/embedded/', pathNot: String.raw`^server/db/embedded/index\.ts$` },
    },
    constantsRule,
    ...layerRules,
    ...outsideRules,
    {
      name: 'contract-as-types-alone',
      comment: 'schemas and zod stay at the server; constants may be loaded, and by the command line the engine',
      severity: 'error',
      from: { path: '^(widget|plugin-bridge)/', pathNot: LAUNCHERS },
      to: {
        path: '^server/',
        pathNot: ['^server/contract/constants/index\\.ts$', ...ENGINE_DOORS],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'workers-load-no-schemas',
      comment: 'image processes do without zod and the service: 5 MB of heap each',
      severity: 'error',
      from: { path: '^server/processing/(worker|shared)/' },
      to: {
        path: '^server/',
        pathNot: '^server/(processing/(worker|shared)|contract/constants)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'shared-by-both-processes',
      comment: 'what both processes load knows neither of them',
      severity: 'error',
      from: { path: '^server/processing/shared/' },
      to: { path: '^server/processing/', pathNot: '^server/processing/shared/' },
    },
    {
      name: 'service-loads-no-worker',
      comment: 'only the worker pool starts a worker, as a process',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/processing/worker/' },
      to: { path: '^server/processing/worker/' },
    },
    {
      name: 'server-knows-no-client',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^(widget|plugin-bridge)/' },
    },
    {
      name: 'no-node-in-browsers',
      comment:
        'the SDK, the batch engine and the hosts run in browsers too; the manifest and the plugin are made by programs of the checkout',
      severity: 'error',
      from: {
        path: '^(widget|plugin-bridge/(sdk|batch|host|wordpress))/',
        pathNot: '^(widget/(build|manifest)|plugin-bridge/(wordpress/build|host/server))/',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'elements-by-their-front-doors',
      severity: 'error',
      from: { path: '^widget/elements/([^/]+)/' },
      to: { path: '^widget/elements/[^/]+/', pathNot: ['^widget/elements/$1/', String.raw`/index\.ts$`] },
    },
    onlyIn('sharp-in-processing', ['^server/processing/'], '(^|/)node_modules/sharp/'),
    onlyIn('mongoose-in-db', ['^server/db/'], '(^|/)node_modules/(mongoose|mongodb)/'),
    onlyIn('nodemailer-in-mail', ['^server/mail/'], '(^|/)node_modules/(@types/)?nodemailer/'),
    onlyIn('koa-in-http-and-gateway', ['^server/(http|gateway)/'], '(^|/)node_modules/(@types/)?(koa|@koa)'),
    onlyIn('file-system-in-storage', FILE_SYSTEM_USERS, '^(node:)?fs(/promises)?$'),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // AssemblyScript: the service loads what it is compiled to.
    exclude: { path: '^server/processing/worker/score/kernel/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
