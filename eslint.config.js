import js from '@eslint/js'
import boundaries from 'eslint-plugin-boundaries'
import tseslint from 'typescript-eslint'

/**
 * The rooms of `src`, each of which may use those before it (docs/decisions.md, "Rooms"). A folder that is not named here may
 * not be imported.
 */
const ROOMS = [
  'platform',
  'sequences',
  'templates',
  'workspaces',
  'outbox',
  'http',
  'triggers',
  'conditions',
  'contacts',
  'lists',
  'segments',
  'transports',
  'installation',
  'messages',
  'automations',
  'enrollments',
  'erasure',
  'relay',
  'schema',
]
const ALLOWED = {
  client: ['client'],
  ...Object.fromEntries(ROOMS.map((room, place) => [room, ROOMS.slice(0, place + 1)])),
  workflows: ['workflows', 'sequences', 'platform'],
  activities: ['activities', ...ROOMS.slice(0, ROOMS.indexOf('erasure'))],
  bin: ['bin', 'activities', 'embedded', 'client', ...ROOMS],
  embedded: ['embedded', 'platform'],
  scripts: ['scripts', 'embedded', 'bin', 'client', ...ROOMS],
}
const EVERYTHING = [...Object.keys(ALLOWED), 'test', 'bench']

const element = (type, pattern) => ({ type, pattern, partialMatch: false })
const allow = (from, to, kind) => ({
  from: { element: { type: from } },
  allow: { to: { element: { type: to } }, ...(kind ? { dependency: { kind } } : {}) },
})

export default tseslint.config(
  { ignores: ['node_modules/', 'data/', 'dist/'] },
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
      'boundaries/include': ['src/**', 'workflows/**', 'activities/**', 'test/**', 'bench/**', 'scripts/**'],
      'boundaries/ignore': [
        'src/platform/config.ts',
        'src/platform/log.ts',
        'src/bin/metrics.ts',
        'src/platform/tracing.ts',
      ],
      'boundaries/elements': [
        ...[...ROOMS, 'client', 'bin'].map((type) => element(type, `src/${type}`)),
        ...['workflows', 'activities', 'scripts', 'embedded', 'test', 'bench'].map((type) => element(type, type)),
      ],
    },
    rules: {
      'boundaries/no-unknown-files': 'error',
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies: [
            ...Object.entries(ALLOWED).map(([from, to]) => allow(from, to)),
            allow(['test', 'bench'], EVERYTHING),
            allow('workflows', ['activities'], 'type'),
          ],
        },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'Object', property: 'setPrototypeOf', message: 'Prototypes stay as they are.' },
      ],
    },
  },
  {
    // Outside a composition root, configuration and log are given, never fetched.
    files: ['src/**', 'workflows/**', 'activities/**'],
    ignores: ['src/bin/**', 'src/platform/{config,log,tracing}.ts'],
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
    // Tests and benchmarks look into answers of all shapes, and a wrong shape fails them.
    files: ['test/**', 'bench/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  { files: ['**/*.js', '**/*.cjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.cjs'],
    languageOptions: { globals: { require: 'readonly', module: 'writable', console: 'readonly' } },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
)
