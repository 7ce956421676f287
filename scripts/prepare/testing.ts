// cspell:ignore domelementtype domhandler domutils leac parseley peberminta selderee toposort
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packInto } from './npm-pack.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGE = join(ROOT, 'packages/testing')
/** The file that every instance serves at `/testing.tgz`. */
const ARCHIVE = join(ROOT, 'dist/testing.tgz')

/** The dependencies of the engine. The rest of Dripline's are left out, with the modules that use them. */
const BUNDLED = [
  'deepmerge-ts',
  'dom-serializer',
  'domelementtype',
  'domhandler',
  'domutils',
  'entities',
  'html-to-text',
  'htmlparser2',
  'leac',
  'leven',
  'liquidjs',
  'lru-cache',
  'parseley',
  'peberminta',
  'property-expr',
  'selderee',
  '@selderee/plugin-htmlparser2',
  'temporal-polyfill',
  'temporal-utils',
  'tiny-case',
  'toposort',
  'uuid',
  'validator',
  'yaml',
  'yup',
]
/** The modules that are loaded for what they change: the texts of validation errors, and the template engine. */
const HAS_EFFECTS = /\/src\/(http\/locale|rendering\/\w[\w-]*)\.ts$/

/** Builds `@dripline/testing` as one file with the engine of rehearsals, so that npm installs nothing else, and packs it. */
export async function buildTesting(say: (line: string) => void): Promise<void> {
  const tools = await developmentTools()
  if (!tools || !existsSync(PACKAGE)) {
    say('@dripline/testing: skipped, because the development dependencies are not installed')
    return
  }
  const { vite, ts } = tools
  await vite.build({
    root: PACKAGE,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: BUNDLED },
    build: {
      ssr: 'src/index.ts',
      outDir: 'dist',
      target: 'node20',
      rolldownOptions: {
        treeshake: {
          moduleSideEffects: (id, isExternal) => !isExternal && (id.includes('node_modules') || HAS_EFFECTS.test(id)),
        },
        output: { entryFileNames: 'index.js', codeSplitting: false },
      },
    },
  })
  assertOnlyBuiltins(readFileSync(join(PACKAGE, 'dist/index.js'), 'utf8'))
  for (const name of ['index', 'types']) {
    const source = readFileSync(join(PACKAGE, `src/${name}.ts`), 'utf8')
    const { outputText } = ts.transpileDeclaration(source, { compilerOptions: { declaration: true } })
    writeFileSync(join(PACKAGE, `dist/${name}.d.ts`), outputText.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"))
  }
  await packInto(ARCHIVE, PACKAGE, say)
  say('@dripline/testing: built in packages/testing/dist, and packed as dist/testing.tgz')
}

/** @throws {Error} if the bundle imports a package, which npm would not install */
function assertOnlyBuiltins(code: string): void {
  const packages = [...code.matchAll(/^import .*?["']([^"']+)["'];?$/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !isBuiltin(name))
  if (packages.length > 0) throw new Error(`@dripline/testing must not import ${packages.join(', ')}`)
}

async function developmentTools() {
  try {
    return { vite: await import('vite'), ts: (await import('typescript')).default }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
