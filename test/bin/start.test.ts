import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandHolds, isAlive } from '../../embedded/process-table.ts'
import { eventually } from '../support/eventually.ts'
import {
  hasEnded,
  leftOvers,
  nothingIsLeft,
  npmStart,
  ready,
  ROOT,
  signalGroup,
  startEnvironment,
  type Started,
} from '../support/npm-start.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const run = promisify(execFile)

/** Runs `npm start` as a user does, with a process, its terminal output and a folder. */
describe('npm start', function () {
  this.timeout(180_000)
  let dataDir: string
  let env: NodeJS.ProcessEnv
  let sink: SmtpSink
  let current: Started | undefined

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'dripline-start-'))
    sink = await startSmtpSink()
    env = await startEnvironment(dataDir, { SMTP_URL: sink.url })
  })
  after(async () => {
    if (current && !hasEnded(current)) signalGroup(current, 'SIGTERM')
    await nothingIsLeft(dataDir)
    await sink.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const start = (): Started => (current = npmStart(env))
  const cli = (...args: string[]) => run('npm', ['run', '--silent', 'cli', '--', ...args], { cwd: ROOT, env })
  const get = async (path: string, key: string) => {
    const response = await fetch(`http://127.0.0.1:${env['PORT']}/api/v1/${path}`, { headers: { 'x-api-key': key } })
    return (await response.json()) as { data: Record<string, string>[] }
  }

  let key: string
  let contactId: string

  it('starts from an empty folder, and its three printed commands send exactly one email', async () => {
    const first = start()
    await ready(first)

    key = /svc_live_\w+/.exec(first.text())?.[0] ?? ''
    assert.equal(first.text().split(key).length, 2, 'the live key is shown once')
    const lines = /^export DRIPLINE_API_KEY=.*?(?=\n\n)/ms.exec(first.text())?.[0].split('\n') ?? []
    const enroll = lines.slice(lines.findIndex((line) => /^curl .*enroll/.test(line)))
    assert.equal(enroll.length, 4)
    const script = [...lines, 'echo', ...enroll, 'echo', 'echo "contact: $CONTACT"'].join('\n')
    const { stdout } = await run('bash', ['-c', script])
    const [answer, again] = stdout
      .split('\n')
      .map((line) => (line.startsWith('{') ? (JSON.parse(line) as { data: object }) : undefined))
    assert.deepEqual(
      [answer?.data].map((data) => data && 'enrolled' in data && data.enrolled),
      [true],
    )
    assert.partialDeepStrictEqual(again?.data, { enrolled: false, matchingAutomations: 0 })
    contactId = /contact: (\S+)/.exec(stdout)?.[1] ?? ''
    await eventually('the email arrives', () => sink.mails[0])
    assert.deepEqual(
      sink.mails.map(({ to }) => to),
      [['ada@example.com']],
    )
    assert.match(sink.mails[0]?.headers ?? '', /Subject: Welcome, Ada!/)
  })

  it('rejects a second start on the same folder', async () => {
    const first = current
    const second = start()
    current = first
    assert.equal(await second.code, 1)
    assert.match(second.text(), /Another Dripline \(process \d+\) is running on .*DATA_DIR/)
  })

  it('lets the command line find everything in the data folder', async () => {
    const made = JSON.parse((await cli('workspace', 'create', '--name', 'CLI', '--mode', 'test', '--json')).stdout) as {
      id: string
    }
    const { stdout } = await cli(
      'key',
      'create',
      '--workspace',
      made.id,
      '--name',
      'k',
      '--scopes',
      'contacts:read',
      '--allow',
      '10.0.0.0/8',
      '--rate-limit',
      '7',
      '--json',
    )
    const created = JSON.parse(stdout) as Record<string, unknown>
    assert.partialDeepStrictEqual(created, { scopes: ['contacts:read'], allow: ['10.0.0.0/8'], rateLimit: 7 })
    assert.match(String(created['key']), /^svc_test_/)
    const listed = await cli('key', 'list', '--json')
    assert.ok(listed.stdout.includes(String(created['id'])) && !listed.stdout.includes(String(created['key'])))
    await cli('key', 'delete', String(created['id']))
    await assert.rejects(cli('key', 'delete', String(created['id'])), /API key not found/)
    assert.match((await cli('migrate')).stdout, /Nothing to do/)
    await assert.rejects(
      cli('key', 'create', '--workspace', made.id, '--name', 'k', '--scopes', 'everything'),
      /It must be "all" or some of/,
    )
    assert.match((await cli('key', 'create', '--help')).stdout, /--rate-limit/)
  })

  it('continues after kill -9 during a wait, without lost or repeated emails', async () => {
    const steps = [
      { type: 'EMAIL', subject: 'before the kill', text: 'x' },
      { type: 'WAIT', delayMinutes: 1 },
      { type: 'EMAIL', subject: 'after the kill', text: 'x' },
    ]
    const post = async (path: string, body: object) => {
      const response = await fetch(`http://127.0.0.1:${env['PORT']}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await response.json()) as { data: { id: string } }
    }
    const triggerConfig = { eventName: 'killed' }
    const { data } = await post('automations', {
      name: 'Killed',
      status: 'ACTIVE',
      trigger: 'EVENT',
      triggerConfig,
      steps,
    })
    await post(`automations/${data.id}/enroll`, { contactId })
    const subjects = () => sink.mails.map(({ headers }) => /^Subject: (.*?)\r?$/m.exec(headers)?.[1])
    await eventually('the first email is sent', async () => {
      const { data: items } = await get(`contacts/${contactId}/activity`, key)
      return items.some(({ subject, status }) => subject === 'before the kill' && status === 'SENT') ? true : undefined
    })
    const sentAt = Date.now()

    // Kill everything at once: npm and the service, the host, Postgres, Temporal.
    const pids = (await leftOvers(dataDir)).map((line) => parseInt(line, 10))
    signalGroup(current!, 'SIGKILL')
    for (const pid of pids) if (isAlive(pid) && commandHolds(pid, dataDir)) process.kill(pid, 'SIGKILL')

    const again = start()
    await ready(again)
    assert.doesNotMatch(again.text(), /svc_live_/)
    await eventually(
      'the second email arrives',
      () => (subjects().includes('after the kill') ? true : undefined),
      90_000,
    )
    assert.ok(Date.now() - sentAt >= 58_000, 'the wait did not end early')
    assert.deepEqual(
      subjects().filter((subject) => subject?.includes('the kill')),
      ['before the kill', 'after the kill'],
    )
  })

  it('recovers when only its own process is killed', async () => {
    signalGroup(current!, 'SIGKILL')
    const next = start()
    await ready(next)
    assert.ok((await get('contacts', key)).data.length > 0)
  })

  it('restarts a server process that dies', async () => {
    const [line] = (await leftOvers(dataDir)).filter((text) => text.includes('start-dev'))
    process.kill(parseInt(line ?? '', 10), 'SIGKILL')
    await eventually(
      'the service is ready again',
      async () => {
        const answer = await fetch(`http://127.0.0.1:${env['PORT']}/readyz`).catch(() => undefined)
        return answer?.status === 200 && !(await leftOvers(dataDir)).includes(line ?? '') ? true : undefined
      },
      40_000,
    )
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops everything on ${signal}, and keeps its data for the next start`, async () => {
      const running = current && !hasEnded(current) ? current : start()
      await ready(running)
      assert.ok((await get('contacts', key)).data.length > 0)
      assert.ok((await leftOvers(dataDir)).length > 2)
      signalGroup(running, signal)
      await running.code
      await nothingIsLeft(dataDir)
    })
  }
})
