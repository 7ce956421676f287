/** `npm run test:contract`: runs Schemathesis over every operation of a running service. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installTemporalRuntime } from '../../src/runtime/temporal-runtime.ts'
import { openLog } from '../../src/platform/log.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { aContact, anAutomation, anEvent } from '../support/factories.ts'
import { closedAtSignal } from '../support/at-signal.ts'
import { startInstance } from '../support/instance.ts'
import { stopServices } from '../support/servers.ts'
import { cacheFolder } from '../../embedded/tools/cache.ts'
import { readOptions, wholeNumber } from '../../scripts/options.ts'
import { run } from '../../embedded/tools/run.ts'

const CONTRACT = fileURLToPath(new URL('.', import.meta.url))
const VERSION = '4.32.5'
const KEYS = 8

const { values } = readOptions({
  call: 'npm run test:contract -- [OPTION …]',
  what: 'runs Schemathesis over every operation of a running service.',
  options: {
    examples: { takes: 'N', what: 'examples of each operation (default: 200)' },
    seed: { takes: 'N', what: 'repeat the examples of this seed' },
    operation: { takes: 'NAME', what: 'only this operation, by its operationId' },
  },
})
const examples = wholeNumber('examples', values.examples, { least: 1, otherwise: 200 })
const seed = wholeNumber('seed', values.seed, { least: 0, otherwise: undefined })
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Installs Schemathesis in a Python environment of its own, which survives a new clone. */
async function install(): Promise<string> {
  const target = cacheFolder('')
  const environment = join(target, `schemathesis-${VERSION}`)
  const command = join(environment, 'bin', 'schemathesis')
  if (!existsSync(command)) {
    say(`Schemathesis ${VERSION}: installing, once`)
    rmSync(environment, { recursive: true, force: true })
    await run('python3', ['-m', 'venv', environment], { say })
    const requirements = join(CONTRACT, 'requirements.txt')
    await run(join(environment, 'bin', 'pip'), ['install', '--quiet', '-r', requirements], { say })
  }
  return command
}

const command = await install()
installTemporalRuntime(openLog('silent'))
const service = await startInstance({ env: { DATABASE_POOL_SIZE: '20', TRUSTED_PROXIES: '127.0.0.1' } })
const reports = mkdtempSync(join(tmpdir(), 'dripline-contract-'))
let running: ChildProcess | undefined
const close = closedAtSignal(async () => {
  running?.kill()
  await service.stop()
  await stopServices()
  rmSync(reports, { recursive: true, force: true })
})
let code: number
try {
  // Data of each kind, so that links have a starting point.
  const automationId = await anAutomation(service, { triggerConfig: { eventName: 'go' } })
  const contactId = await aContact(service)
  await anEvent(service, contactId, 'go')
  await service.call('POST', 'lists', { name: 'A list' })
  await createSegment(service.context.orm.em, {
    workspaceId: service.workspaceId,
    name: 'Everybody',
    condition: { field: 'email', is: 'present' },
  })
  const keys = await Promise.all(
    Array.from({ length: KEYS }, () => service.newKey({ workspaceId: service.workspaceId })),
  )
  writeFileSync(join(reports, 'openapi.json'), JSON.stringify((await service.call('GET', 'openapi.json')).body))
  say(`A service on port ${service.port}, with automation ${automationId}`)

  const args = [
    '--config-file',
    join(CONTRACT, 'schemathesis.toml'),
    'run',
    join(reports, 'openapi.json'),
    ...['--url', `http://127.0.0.1:${service.port}/api/v1`],
    ...['--header', `X-Request-Id: contract`],
    ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful', '--max-examples', String(examples)],
    ...['--suppress-health-check', 'all', '--generation-database', 'none'],
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...(values.operation === undefined ? [] : ['--include-operation-id', values.operation]),
  ]
  code = await new Promise<number>((resolve, reject) => {
    const child = (running = spawn(command, args, {
      cwd: reports,
      stdio: 'inherit',
      env: {
        ...process.env,
        DRIPLINE_KEYS: keys.join(','),
        PYTHONPATH: CONTRACT,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'hooks',
      },
    }))
    child.once('error', reject)
    child.once('close', (status) => resolve(status ?? 1))
  })
} finally {
  await close()
}
process.exit(code)
