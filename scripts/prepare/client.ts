import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packInto } from './npm-pack.ts'
import { document } from '../../src/runtime/operations.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGE = join(ROOT, 'packages/client')
const SOURCE = join(PACKAGE, 'src')
const TARGET = join(PACKAGE, 'dist')
/** The file that every instance serves at `/client.tgz`. */
const ARCHIVE = join(ROOT, 'dist/client.tgz')

/** Builds `@dripline/client`: its types from the OpenAPI document, its code for Node and bundlers, and the archive for npm. */
export async function buildClient(say: (line: string) => void): Promise<void> {
  const tools = await developmentTools()
  if (!tools) {
    say('@dripline/client: skipped, because the development dependencies are not installed')
    return
  }
  const { ts, openapiTS, astToString } = tools
  mkdirSync(TARGET, { recursive: true })
  writeFileSync(join(TARGET, 'schema.d.ts'), astToString(await openapiTS(JSON.stringify(document))))

  const program = ts.createProgram([join(SOURCE, 'index.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    declaration: true,
    rootDir: SOURCE,
    rootDirs: [SOURCE, TARGET],
    outDir: TARGET,
    skipLibCheck: true,
  })
  const { diagnostics } = program.emit()
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
  if (problems.length > 0) {
    const host = {
      getCanonicalFileName: (name: string) => name,
      getCurrentDirectory: () => ROOT,
      getNewLine: () => '\n',
    }
    throw new Error(ts.formatDiagnostics(problems, host))
  }
  await packInto(ARCHIVE, PACKAGE, say)
  say('@dripline/client: built in packages/client/dist, and packed as dist/client.tgz')
}

async function developmentTools() {
  try {
    const { default: ts } = await import('typescript')
    const { default: openapiTS, astToString } = await import('openapi-typescript')
    return { ts, openapiTS, astToString }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
