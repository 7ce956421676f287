import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startInstance, type Instance } from '../support/instance.ts'
import { runCli } from './cli.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const PROGRAM = `
import type { DriplineClient } from '@dripline/client'
import { templates, type TemplateVariables } from './dripline-workspace.ts'

export const calls = (dripline: DriplineClient, email: string) => [
  dripline.events.send({ name: 'Order placed', email, data: { total: 12, coupon: null } }),
  dripline.events.send({ name: "It's \\"odd\\"", email }),
  dripline.events.fire('id', { name: 'Order placed', data: { total: 12 } }, { idempotencyKey: 'x' }),
  // @ts-expect-error -- an event with this name does not exist
  dripline.events.send({ name: 'Order paid', email }),
  // @ts-expect-error -- a total is a number
  dripline.events.send({ name: 'Order placed', email, data: { total: '12' } }),
  // @ts-expect-error -- the event has no such property
  dripline.events.fire('id', { name: 'Order placed', data: { price: 12 } }),
  dripline.templates.get(templates['Receipt']),
  // @ts-expect-error -- a template with this name does not exist
  dripline.templates.get(templates['Invoice']),
]
export const variable: TemplateVariables['Receipt'] = 'event.data.total'
`

describe('generate', () => {
  let service: Instance
  let folder: string
  before(async () => {
    service = await startInstance({ worker: false })
    // Inside the repository, so that the compiler finds the client.
    folder = mkdtempSync(join(ROOT, 'dist/generate-'))
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await service.stop()
  })

  it('writes types of the events and templates that the compiler checks', async () => {
    const email = 'ada@example.com'
    const data = { total: 12, coupon: null, items: ['a'], 'odd-key': { a: 1 } }
    await service.call('POST', 'events', { name: 'Order placed', email, data })
    await service.call('POST', 'events', { name: 'Order placed', email, data: { coupon: 'X' } })
    await service.call('POST', 'events', { name: `It's "odd"`, email })
    await service.call('POST', 'templates', { name: 'Receipt', subject: '{{ event.data.total }}', text: 'Hi' })
    await service.call('POST', 'templates', { name: 'Plain */', subject: 'Hi', text: 'Hi' })
    const env = { DRIPLINE_URL: `http://127.0.0.1:${service.port}`, DRIPLINE_API_KEY: service.key }
    const { code, stdout, stderr } = await runCli(['generate', '--json'], { env, cwd: folder })
    assert.equal(code, 0, stderr)
    assert.deepEqual(JSON.parse(stdout), { file: 'dripline-workspace.ts', events: 2, templates: 2 })
    const generated = readFileSync(join(folder, 'dripline-workspace.ts'), 'utf8')
    assert.match(generated, /'coupon'\?: null \| string\n {6}'items'\?: unknown\[\]\n/)
    writeFileSync(join(folder, 'main.ts'), PROGRAM)
    const compilerOptions = {
      strict: true,
      noEmit: true,
      // `test/client/installed.system.test.ts` compiles the declarations of the client.
      skipLibCheck: true,
      target: 'es2022',
      module: 'nodenext',
      types: [],
      lib: ['es2023', 'dom', 'dom.iterable'],
      allowImportingTsExtensions: true,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout)
    })
  })
})
