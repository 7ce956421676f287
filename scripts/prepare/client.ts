import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { document } from '../../src/parts/operations.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TARGET = join(ROOT, 'dist/client')

/** Makes `dripline/client`: its types from the OpenAPI document, its code from `src/client`, as any Node and bundler read it. */
export async function buildClient(say: (line: string) => void): Promise<void> {
  const tools = await developmentTools()
  if (!tools) {
    say('dripline/client: left out, as this is an installation without development dependencies')
    return
  }
  const { ts, openapiTS, astToString } = tools
  mkdirSync(TARGET, { recursive: true })
  writeFileSync(join(TARGET, 'schema.d.ts'), astToString(await openapiTS(JSON.stringify(document))))

  const program = ts.createProgram([join(ROOT, 'src/client/index.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
    strict: true,
    declaration: true,
    rootDir: join(ROOT, 'src/client'),
    rootDirs: [join(ROOT, 'src/client'), TARGET],
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
  say('dripline/client: made in dist/client')
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
