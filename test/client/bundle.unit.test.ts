import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'

/** Inside the repository, so that the bundler finds the client. */
const DIST = join(import.meta.dirname, '../../dist')

describe('a bundle with the client', () => {
  let folder: string
  before(() => void (folder = mkdtempSync(join(DIST, 'bundle-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Bundles a program for browsers. */
  const bundle = async (program: string): Promise<string> => {
    const entry = join(folder, 'main.js')
    writeFileSync(entry, program)
    const built = (await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        target: 'es2022',
        lib: { entry, formats: ['es'] },
        rolldownOptions: { output: { minify: true } },
      },
    })) as Rolldown.RolldownOutput[]
    return built[0]!.output[0].code
  }
  const bytes = (code: string) => gzipSync(code).length

  it('has less than 8 KB, and no module of Node', async () => {
    const code = await bundle(
      `import { createDriplineClient } from '@dripline/client'\nexport default createDriplineClient`,
    )
    assert.doesNotMatch(code, /node:|from\s*["']/)
    assert.ok(bytes(code) < 8_000, `${bytes(code)} bytes`)
  })

  it('has no methods of resources with createDriplineCore', async () => {
    const code = await bundle(
      `import { createDriplineCore } from '@dripline/client'\nexport default createDriplineCore`,
    )
    assert.doesNotMatch(code, /upsertMany/)
  })

  it('has less than 1 KB if it only verifies webhooks', async () => {
    const code = await bundle(`export { verifyWebhook } from '@dripline/client'`)
    assert.ok(bytes(code) < 1_000, `${bytes(code)} bytes`)
  })
})
