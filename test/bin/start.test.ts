import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandHolds, isAlive } from '../../scripts/embedded/processes.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import { startSmtpSink, type SmtpSink } from '../support/smtp-sink.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

/** `npm start` as a user has it: a process, a terminal's text, a folder. */
describe('npm start', function () {
  this.timeout(180_000)
  let dataDir: string
  let env: NodeJS.ProcessEnv
  let sink: SmtpSink
  let current: ReturnType<typeof start> | undefined

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'dripline-start-'))
    chmodSync(dataDir, 0o755)
    sink = await startSmtpSink()
    const [port, postgres, temporal, ui] = (await freePorts(4)) as [number, number, number, number]
    env = {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      POSTGRES_PORT: String(postgres),
      TEMPORAL_PORT: String(temporal),
      TEMPORAL_UI_PORT: String(ui),
      SMTP_URL: sink.url,
    }
  })
  after(async () => {
    if (current?.child.exitCode === null && current.child.signalCode === null) kill(current.child, 'SIGTERM')
    await eventually('all has ended', async () => ((await leftOvers()).length === 0 ? true : undefined), 30_000)
    await sink.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Starts in a process group of its own, as a shell does. */
  function start(): { child: ChildProcess; text: () => string; code: Promise<number | null> } {
    const child = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    return (current = { child, text: () => text, code })
  }
  const ready = async (run: ReturnType<typeof start>) => {
    await eventually(
      'it is ready',
      () => {
        if (run.child.exitCode !== null) throw new Error(`It ended: ${run.text()}`)
        return run.text().includes('Ctrl-C stops everything') ? true : undefined
      },
      60_000,
    )
  }
  const kill = (child: ChildProcess, signal: NodeJS.Signals) => process.kill(-child.pid!, signal)
  /** Every process that works on the data folder. */
  async function leftOvers(): Promise<string[]> {
    const { stdout } = await run('ps', ['-eo', 'pid=,args='])
    return stdout.split('\n').filter((line) => line.includes(dataDir))
  }
  const cli = (...args: string[]) => run('npm', ['run', '--silent', 'cli', '--', ...args], { cwd: ROOT, env })
  const get = async (path: string, key: string) => {
    const response = await fetch(`http://127.0.0.1:${env['PORT']}/api/v1/${path}`, { headers: { 'x-api-key': key } })
    return (await response.json()) as { data: Record<string, string>[] }
  }

  let key: string
  let contactId: string

  it('comes up from nothing, and its three lines mail a contact exactly once', async () => {
    const first = start()
    await ready(first)

    key = /live: (svc_live_\w+)/.exec(first.text())?.[1] ?? ''
    const lines = first
      .text()
      .split('\n')
      .filter((line) => /^(CONTACT|AUTOMATION)=|^curl .*enroll/.test(line))
    assert.equal(lines.length, 3)
    const script = [...lines, 'echo', lines[2], 'echo', 'echo "contact: $CONTACT"'].join('\n')
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
    await eventually('the mail', () => sink.mails[0])
    assert.deepEqual(
      sink.mails.map(({ to }) => to),
      [['ada@example.com']],
    )
    assert.match(sink.mails[0]?.headers ?? '', /Subject: Welcome, Ada!/)
  })

  it('refuses a second start on the same folder, in clear words', async () => {
    const first = current
    const second = start()
    current = first
    assert.equal(await second.code, 1)
    assert.match(second.text(), /Another Dripline \(process \d+\) is running on .*DATA_DIR/)
  })

  it('is operated beside it by the command line, from the data folder alone', async () => {
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
    await assert.rejects(cli('key', 'delete', String(created['id'])), /There is no API key/)
    assert.match((await cli('migrate')).stdout, /Nothing to do/)
    await assert.rejects(
      cli('key', 'create', '--workspace', made.id, '--name', 'k', '--scopes', 'everything'),
      /Scopes are "all" or some of/,
    )
    assert.match((await cli('key', 'create', '--help')).stdout, /--rate-limit/)
  })

  it('goes on after kill -9 in the middle of a wait: nothing twice, nothing lost', async () => {
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
    await eventually('the first mail', async () => {
      const { data: items } = await get(`contacts/${contactId}/activity`, key)
      return items.some(({ subject, status }) => subject === 'before the kill' && status === 'SENT') ? true : undefined
    })
    const sentAt = Date.now()

    // Everything at once and without warning: npm and the service, the host, Postgres, Temporal.
    const pids = (await leftOvers()).map((line) => parseInt(line, 10))
    kill(current!.child, 'SIGKILL')
    for (const pid of pids) if (isAlive(pid) && commandHolds(pid, dataDir)) process.kill(pid, 'SIGKILL')

    const again = start()
    await ready(again)
    assert.doesNotMatch(again.text(), /svc_live_/)
    await eventually('the second mail', () => (subjects().includes('after the kill') ? true : undefined), 90_000)
    assert.ok(Date.now() - sentAt >= 58_000, 'the wait did not end early')
    assert.deepEqual(
      subjects().filter((subject) => subject?.includes('the kill')),
      ['before the kill', 'after the kill'],
    )
  })

  it('recovers when only its own process is killed', async () => {
    kill(current!.child, 'SIGKILL')
    const next = start()
    await ready(next)
    assert.ok((await get('contacts', key)).data.length > 0)
  })

  it('starts a part again that dies', async () => {
    const [line] = (await leftOvers()).filter((text) => text.includes('start-dev'))
    process.kill(parseInt(line ?? '', 10), 'SIGKILL')
    await eventually(
      'it is ready again',
      async () => {
        const answer = await fetch(`http://127.0.0.1:${env['PORT']}/readyz`).catch(() => undefined)
        return answer?.status === 200 && !(await leftOvers()).includes(line ?? '') ? true : undefined
      },
      40_000,
    )
  })

  it('names a port that is taken', async () => {
    const taken = env['PORT']
    const other = mkdtempSync(join(tmpdir(), 'dripline-start-'))
    const [postgres, temporal, ui] = await freePorts(3)
    const child = spawn('npm', ['start'], {
      cwd: ROOT,
      env: {
        ...env,
        DATA_DIR: other,
        POSTGRES_PORT: env['POSTGRES_PORT'],
        TEMPORAL_PORT: String(temporal),
        TEMPORAL_UI_PORT: String(ui),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    assert.equal(await new Promise((resolve) => child.once('close', resolve)), 1)
    assert.match(text, new RegExp(`Port ${env['POSTGRES_PORT']} is taken .* POSTGRES_PORT`))
    assert.ok(taken && postgres)
    rmSync(other, { recursive: true, force: true })
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops everything it started at ${signal}, and finds everything again`, async () => {
      const running = current?.child.exitCode === null && current.child.signalCode === null ? current : start()
      await ready(running)
      assert.ok((await get('contacts', key)).data.length > 0)
      assert.ok((await leftOvers()).length > 2)
      kill(running.child, signal)
      await running.code
      await eventually('nothing is left', async () => ((await leftOvers()).length === 0 ? true : undefined), 40_000)
    })
  }
})
