import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startInstance, type Instance } from '../support/instance.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const TSC = join(ROOT, 'node_modules/.bin/tsc')
const GUIDE = readFileSync(join(ROOT, 'docs/testing-automations.md'), 'utf8')
const MAX_BYTES = 1_500_000
/** The most processes with an empty test in which a process with the guide's test runs. */
const MAX_TIMES = 8

/** Returns the first code block of the guide in a language. */
const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(GUIDE)![1]!

const PROGRAM = `
import { loadWorkspace, type Contact, type Email, type Enrollment, type Workspace } from '@dripline/testing'

const workspace: Workspace = await loadWorkspace({ automations: [] }, { startAt: '2027-03-01T09:00:00Z' })
const ada: Contact = workspace.contact({ email: 'ada@example.com', tags: ['vip'] })
const emails: Email[] = workspace.emails(ada)
const status: Enrollment['status'] = 'COMPLETED'
// @ts-expect-error -- an email is a text
workspace.contact({ email: 5 })
// @ts-expect-error -- there is no such method
workspace.send(ada)
void [emails, status]
`

describe('@dripline/testing, installed from an instance', () => {
  let service: Instance
  let folder: string
  before(async () => {
    service = await startInstance({ worker: false })
    folder = mkdtempSync(join(tmpdir(), 'dripline-testing-'))
    write('package.json', '{ "name": "integration", "private": true, "type": "module" }')
    const from = `http://127.0.0.1:${service.port}/testing.tgz`
    await run('npm', ['install', '--no-audit', '--no-fund', '-D', from], { cwd: folder })
    write('welcome.yaml', blockOf('yaml'))
    write('welcome.test.js', blockOf('js'))
    write('welcome.golden.txt', blockOf('text'))
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  // Without the variable, by which a test runner recognizes that another one started it.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
  const execute = (file: string) => run(process.execPath, ['--test', file], { cwd: folder, env })

  it('runs the example of the guide', async () => {
    const { stdout } = await execute('welcome.test.js')
    assert.match(stdout, /pass 1\n/)
  })

  it('fails the example with the difference, after a change of the automation', async () => {
    write('welcome.yaml', blockOf('yaml').replace('delayMinutes: 4320', 'delayMinutes: 2880'))
    const error = await execute('welcome.test.js').then(
      () => assert.fail('it passes'),
      (failed: { stdout: string }) => failed.stdout,
    )
    write('welcome.yaml', blockOf('yaml'))
    assert.match(error, /\+.*2027-03-01 10:00 {2}Wait {7}until 2027-03-03 10:00/)
  })

  it('has types', async () => {
    write('main.ts', PROGRAM)
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023']
    await run(TSC, [...options, 'main.ts'], { cwd: folder }).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout)
    })
  })

  it('installs nothing else, and has no code for databases, workflows and mail servers', () => {
    const packages = readFileSync(join(folder, 'package-lock.json'), 'utf8').match(/"node_modules\/[^"]+"/g)
    assert.deepEqual(packages, ['"node_modules/@dripline/testing"'])
    const code = readFileSync(join(folder, 'node_modules/@dripline/testing/dist/index.js'), 'utf8')
    const imported = [...code.matchAll(/^import .*? from ["'](?:node:)?([^"']+)["']/gm)].map(([, name]) => name!)
    assert.deepEqual(
      imported.filter((name) => !builtinModules.includes(name)),
      [],
    )
    assert.doesNotMatch(code, /mikro-orm|temporalio|nodemailer|kysely|for update|insert into/i)
    assert.ok(code.length < MAX_BYTES, `${code.length} bytes`)
  })

  it(`takes less than ${MAX_TIMES} times as long as an empty test`, async () => {
    write('empty.test.js', `import { test } from 'node:test'\ntest('nothing', () => undefined)`)
    const fastest = async (file: string) => {
      const times: number[] = []
      for (let n = 0; n < 3; n += 1) {
        const start = performance.now()
        await execute(file)
        times.push(performance.now() - start)
      }
      return Math.min(...times)
    }
    const empty = await fastest('empty.test.js')
    const times = (await fastest('welcome.test.js')) / empty
    assert.ok(times < MAX_TIMES, `${times.toFixed(1)} times as long`)
  })
})
