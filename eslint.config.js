import js from '@eslint/js'
import boundaries from 'eslint-plugin-boundaries'
import tseslint from 'typescript-eslint'

/**
 * The modules of `src`, each of which may use those before it (docs/decisions/0001-modules.md). A folder that is not listed here
 * may not be imported.
 */
const MODULES = [
  'automation-engine',
  'temporal',
  'rendering',
  'outbox',
  'counters',
  'signed-links',
  'http',
  'workspaces',
  'audit',
  'accounts',
  'request-log',
  'webhooks',
  'triggers',
  'segments',
  'lists',
  'contacts',
  'smtp',
  'instance',
  'senders',
  'messages',
  'reputation',
  'templates',
  'automations',
  'enrollments',
  'steps',
  'publishing',
  'test-clock',
  'rehearsal',
  'events',
  'sources',
  'consent',
  'tracking',
  'bounces',
  'imports',
  'campaigns',
  'emails',
  'media',
  'explanations',
  'proposals',
  'stats',
  'mcp',
  'relay',
  'schema',
]
const before = (module) => MODULES.slice(0, MODULES.indexOf(module))

/** The modules that each may use, through their `index.ts`. */
const ALLOWED = {
  ...Object.fromEntries(MODULES.map((module) => [module, before(module)])),
  workflows: ['automation-engine'],
  activities: before('stats'),
  runtime: MODULES,
  bin: MODULES,
  scripts: MODULES,
}

/** Folders without an `index.ts`: their files may be imported directly. */
const OPEN = {
  platform: ['bin', 'runtime', 'scripts', 'embedded', 'workflows', 'activities', ...MODULES],
  temporal: ['bin', 'runtime', 'scripts', 'embedded', 'workflows', 'activities'],
  runtime: ['bin', 'scripts'],
  embedded: ['bin', 'scripts'],
  activities: ['runtime'],
  bin: ['scripts'],
}
const FOLDERS = [...MODULES, 'platform', 'runtime', 'bin']
const TOP = ['workflows', 'activities', 'scripts', 'embedded', 'test', 'bench']

const PRODUCT = ['src/**', 'workflows/**', 'activities/**', 'embedded/**', 'scripts/**']

/** SQL text, however it is executed: by our own two functions, by the ORM, by Kysely, by pg. */
const NO_SQL = [
  'ImportDeclaration[source.value=/(platform[/]db|[.])[/]sql[.]ts$/] ImportSpecifier[imported.name=/^(sql|preparedSql)$/]',
  'ImportDeclaration[source.value=/^(kysely|@mikro-orm[/].*)$/] ImportSpecifier[imported.name=/^(sql|raw|CompiledQuery)$/]',
  'CallExpression[callee.property.name=/^(executeQuery|getNativeClient)$/]',
  "CallExpression[callee.property.name='execute'][callee.object.callee.property.name='getConnection']",
].map((selector) => ({
  selector,
  message: 'Put SQL text into the queries.ts of the module; see docs/decisions/0003-postgres-access.md.',
}))

const NO_SQL_PASSED_ON = {
  selector: 'ExportNamedDeclaration[source.value=/[/]sql[.]ts$/] ExportSpecifier[local.name=/^(sql|preparedSql)$/]',
  message: 'Import the functions that execute SQL text from src/platform/db/sql.ts.',
}

/** A composition root reads the whole environment, and the configuration checks it. */
const NO_VARIABLE = {
  selector: "MemberExpression[object.object.name='process'][object.property.name='env']",
  message: 'Declare and read environment variables in src/platform/config.ts.',
}

const element = (type, pattern) => ({ type, pattern, partialMatch: false })
const allow = (from, to, more) => ({
  from: { element: { type: from } },
  allow: { to: { element: { type: to, ...more } } },
})
const INDEX = { fileInternalPath: 'index.ts' }
const ROUTES = { fileInternalPath: 'routes.ts' }

export default tseslint.config(
  { ignores: ['node_modules/', 'data/', '**/dist/'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', 'test/support/*.cjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { boundaries },
    settings: {
      'boundaries/include': [
        'src/**',
        'workflows/**',
        'activities/**',
        'test/**',
        'bench/**',
        'scripts/**',
        'embedded/**',
      ],
      'boundaries/elements': [
        ...FOLDERS.map((type) => element(type, `src/${type}`)),
        ...TOP.map((type) => element(type, type)),
      ],
    },
    rules: {
      'boundaries/no-unknown-files': 'error',
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies: [
            ...[...FOLDERS, ...TOP].map((folder) => allow(folder, folder)),
            ...Object.entries(ALLOWED).map(([from, to]) => allow(from, to, INDEX)),
            ...Object.entries(OPEN).map(([to, from]) => allow(from, to)),
            // The help of the command line must load fast.
            ...['caller.ts', 'rate-limit.ts', 'roles.ts', 'scopes.ts'].map((file) =>
              allow('bin', 'http', { fileInternalPath: file }),
            ),
            // The list of operations includes those of every module, and only the API needs them.
            allow('runtime', MODULES, ROUTES),
            allow(['test', 'bench'], [...FOLDERS, ...TOP]),
            {
              from: { element: { type: 'workflows' } },
              allow: { to: { element: { type: 'activities' } }, dependency: { kind: 'type' } },
            },
          ],
        },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'Object', property: 'setPrototypeOf', message: 'Do not change prototypes.' },
        {
          object: 'ctx',
          property: 'query',
          message: "Koa's parser is quadratic: use readQuery of src/http/parse-query.ts.",
        },
      ],
    },
  },
  {
    files: PRODUCT,
    ignores: ['**/*queries.ts', 'src/platform/db/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...NO_SQL, NO_SQL_PASSED_ON, NO_VARIABLE] },
  },
  {
    files: ['**/*queries.ts', 'src/platform/db/*.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_SQL_PASSED_ON, NO_VARIABLE] },
  },
  {
    // Outside of a composition root, configuration and log are passed in, never fetched.
    files: ['src/**', 'workflows/**', 'activities/**'],
    ignores: ['src/{bin,runtime}/**', 'src/platform/{config,log,tracing}.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: ['**/platform/config.ts', '**/platform/log.ts', '**/platform/tracing.ts'] },
      ],
    },
  },
  {
    files: ['workflows/**'],
    rules: {
      'no-restricted-globals': ['error', ...['setInterval', 'fetch', 'process', 'Buffer', 'crypto']],
    },
  },
  {
    // Tests and benchmarks read responses of many types, and fail on a wrong one.
    files: ['test/**', 'bench/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  // Redirects of the router are thrown.
  { files: ['dashboard/src/routes/**'], rules: { '@typescript-eslint/only-throw-error': 'off' } },
  {
    files: ['dashboard/public/*.js'],
    languageOptions: { globals: { document: 'readonly', localStorage: 'readonly' } },
  },
  { files: ['**/*.js', '**/*.cjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.cjs'],
    languageOptions: { globals: { require: 'readonly', module: 'writable', console: 'readonly' } },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
)
