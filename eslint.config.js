import js from '@eslint/js'
import boundaries from 'eslint-plugin-boundaries'
import tseslint from 'typescript-eslint'

/** Who may import whom (docs/decisions.md, "Layers"). A part that is not named here may not be imported. */
const ALLOWED = {
  domain: ['domain'],
  client: ['client'],
  workflows: ['workflows', 'domain'],
  db: ['db', 'domain'],
  mail: ['mail', 'domain'],
  temporal: ['temporal', 'domain', 'workflows'],
  services: ['services', 'db', 'mail', 'temporal', 'domain'],
  activities: ['activities', 'services', 'db', 'mail', 'temporal', 'domain'],
  api: ['api', 'services', 'db', 'mail', 'temporal', 'domain'],
}
const EVERYTHING = [...Object.keys(ALLOWED), 'bin', 'scripts', 'test', 'bench']

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
      'boundaries/ignore': ['src/config.ts', 'src/log.ts', 'src/metrics.ts', 'src/tracing.ts'],
      'boundaries/elements': [
        ...['domain', 'client', 'db', 'mail', 'temporal', 'services', 'api', 'bin'].map((type) =>
          element(type, `src/${type}`),
        ),
        ...['workflows', 'activities', 'scripts', 'test', 'bench'].map((type) => element(type, type)),
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
            allow(['bin', 'scripts', 'test', 'bench'], EVERYTHING),
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
    files: ['src/{domain,db,mail,temporal,services,api}/**', 'workflows/**', 'activities/**'],
    rules: {
      'no-restricted-imports': ['error', { patterns: ['**/config.ts', '**/log.ts', '**/metrics.ts', '**/tracing.ts'] }],
    },
  },
  {
    files: ['src/temporal/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/workflows/*', '!**/workflows/messages.ts'],
              allowTypeImports: true,
              message: 'Of the workflows, only their messages and their types are for the outside.',
            },
          ],
        },
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
