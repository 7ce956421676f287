import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { type Answer } from '../support/service.ts'
import { runCli } from './cli.ts'

const run = promisify(execFile)

describe('the command line for developers', () => {
  let service: Instance
  let folder: string
  let url: string
  before(async () => {
    service = await startInstance({ worker: false })
    url = `http://127.0.0.1:${service.port}`
  })
  after(() => service.stop())
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'dripline-cli-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const stored = () => join(folder, 'dripline', 'login.json')
  const cli = (args: string[], { env = {}, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {}) =>
    runCli(args, { cwd: folder, input, env: { XDG_CONFIG_HOME: folder, ...env } })
  /** Runs a command with the login in the environment. */
  const call = async (...args: string[]): Promise<Answer['body']> => {
    const login = { DRIPLINE_URL: url, DRIPLINE_API_KEY: service.key }
    const { code, stdout, stderr } = await cli([...args, '--json'], { env: login })
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const errorOf = ({ stderr }: { stderr: string }) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error

  describe('login', () => {
    it('stores a valid key for this user only', async () => {
      const login = await cli(['login', '--url', `${url}/api/v1/`], { input: `${service.key}\n` })
      assert.deepEqual([login.code, login.stdout], [0, `Logged in to Test (live) at ${url}.\n`])
      assert.deepEqual(JSON.parse(readFileSync(stored(), 'utf8')), { url, apiKey: service.key })
      assert.deepEqual(
        [statSync(stored()).mode & 0o777, statSync(join(folder, 'dripline')).mode & 0o777],
        [0o600, 0o700],
      )
      const { stdout } = await cli(['whoami', '--json'])
      assert.equal(JSON.parse(stdout).workspace.id, service.workspaceId)
      assert.equal((await cli(['logout'])).code, 0)
      const after = await cli(['whoami'])
      assert.deepEqual([after.code, after.stderr.split('.')[0]], [3, 'You are not logged in'])
    })

    it('stores no invalid key', async () => {
      const wrong = await cli(['login', '--url', url, '--json'], { input: 'svc_live_wrong' })
      assert.deepEqual([wrong.code, errorOf(wrong)['status']], [3, 401])
      const broken = await cli(['login', '--url', url], { input: 'two words' })
      assert.equal(broken.code, 3)
      assert.equal((await cli(['login', '--url', 'localhost:3000'], { input: service.key })).code, 2)
      assert.equal((await cli(['login', '--url', url])).code, 2)
      assert.throws(() => statSync(stored()), { code: 'ENOENT' })
    })

    it('sends the stored key only to its instance', async () => {
      await cli(['login', '--url', url], { input: service.key })
      const requests: unknown[] = []
      const other = createServer((request, response) => {
        requests.push(request.headers)
        response.writeHead(401).end('{}')
      }).listen(0, '127.0.0.1')
      await once(other, 'listening')
      const env = { DRIPLINE_URL: `http://127.0.0.1:${(other.address() as AddressInfo).port}` }
      const result = await cli(['whoami'], { env })
      other.close()
      assert.deepEqual([result.code, requests], [3, []])
      // The environment replaces the key of the same instance.
      const key = await service.newKey()
      const { stdout } = await cli(['whoami', '--json'], { env: { DRIPLINE_API_KEY: key } })
      assert.equal(JSON.parse(stdout).workspace.name, 'Another')
    })
  })

  it('creates, lists and deletes contacts', async () => {
    const list = await aList(service)
    const flags = [
      '--first-name',
      'Ada',
      '--metadata',
      '{"plan":"pro"}',
      '--tag',
      'vip',
      '--tag',
      'beta',
      '--list',
      list,
    ]
    const contact = await call('contacts', 'upsert', '--email', 'ada@example.com', '--external-id', '4711', ...flags)
    assert.deepEqual([contact.firstName, contact.metadata, contact.tags], ['Ada', { plan: 'pro' }, ['beta', 'vip']])
    for (const filter of [
      ['--tag', 'vip'],
      ['--list', list],
      ['--search', 'ad'],
      ['--email', 'ADA@example.com'],
    ])
      assert.deepEqual(
        (await call('contacts', 'list', ...filter)).map(({ id }: { id: string }) => id),
        [contact.id],
      )
    assert.deepEqual(await call('contacts', 'list', '--tag', 'none'), [])
    assert.equal((await call('contacts', 'get', 'external:4711')).email, 'ada@example.com')

    const login = { DRIPLINE_URL: url, DRIPLINE_API_KEY: service.key }
    const refused = await cli(['contacts', 'delete', 'email:ada@example.com'], { env: login })
    assert.deepEqual([refused.code, refused.stderr.includes('Pass --yes to confirm')], [2, true])
    assert.deepEqual(await call('contacts', 'delete', 'email:ada@example.com', '--yes'), {
      deleted: true,
      id: contact.id,
    })
    const gone = await cli(['contacts', 'get', contact.id as string, '--json'], { env: login })
    assert.equal(gone.code, 1)
    assert.partialDeepStrictEqual(errorOf(gone), {
      code: 'contact_not_found',
      message: 'Contact not found',
      status: 404,
    })
    assert.ok(errorOf(gone)['requestId'])
  })

  it('limits lists, and prints names that cannot control a terminal', async () => {
    const contacts = Array.from({ length: 103 }, (_, n) => ({ email: `n${n}@example.com`, tags: ['many'] }))
    await service.call('POST', 'contacts/bulk', { contacts })
    await aContact(service, { firstName: '\u001b[2J\u009b2J Eve', tags: ['hostile'] })
    assert.equal((await call('contacts', 'list', '--tag', 'many', '--limit', '101')).length, 101)
    assert.equal((await call('contacts', 'list', '--tag', 'many')).length, 50)
    assert.equal((await call('contacts', 'list', '--tag', 'many', '--all')).length, 103)
    const login = { DRIPLINE_URL: url, DRIPLINE_API_KEY: service.key }
    for (const format of [[], ['--json']]) {
      const { stdout } = await cli(['contacts', 'list', '--tag', 'hostile', ...format], { env: login })
      assert.match(stdout, /Eve/)
      assert.doesNotMatch(stdout, /(?!\n)\p{Cc}/u)
    }
  })

  it('lists automations, and enrolls a contact by an event and directly', async () => {
    const trigger = { trigger: 'EVENT', triggerConfig: { eventName: 'Signed up' } }
    const automationId = await anAutomation(service, trigger)
    const automations = await call('automations', 'list')
    assert.ok(automations.some(({ id }: { id: string }) => id === automationId))
    assert.equal((await call('automations', 'get', automationId)).id, automationId)
    const sent = await call('events', 'send', 'Signed up', '--email', 'bo@example.com', '--data', '{"plan":"pro"}')
    assert.equal(sent.matchingAutomations, 1)
    const contact = await aContact(service)
    assert.equal((await call('events', 'send', 'Other', '--contact', contact)).matchingAutomations, 0)
    const enroll = () => call('automations', 'enroll', automationId, '--contact', contact, '--merge', '{"by":"cli"}')
    assert.deepEqual([(await enroll()).enrolled, (await enroll()).enrolled], [true, false])
    assert.deepEqual((await call('contacts', 'get', contact)).metadata, { by: 'cli' })
  })

  it('sends an email with an attachment, once for a key', async () => {
    writeFileSync(join(folder, 'receipt.txt'), 'Total: 49.00')
    const content = ['--subject', 'Your receipt', '--text', 'Thank you.', '--attach', join(folder, 'receipt.txt')]
    const send = () =>
      call('emails', 'send', '--to', 'ada@example.com', ...content, '--key', 'receipt-1', '--tag', 'receipt')
    const { id } = await send()
    assert.equal((await send()).id, id)
    const email = await call('emails', 'get', id as string)
    assert.deepEqual(
      [email.to, email.tags, email.attachments[0].filename],
      ['ada@example.com', ['receipt'], 'receipt.txt'],
    )
    const { data } = (await service.call('POST', 'templates', { name: 'Code', subject: 'Hi', text: '{{ data.code }}' }))
      .body
    const sent = await call(
      'emails',
      'send',
      '--to',
      'bo@example.com',
      '--template',
      data.id as string,
      '--data',
      '{"code":"1"}',
    )
    assert.equal(sent.templateId, data.id)
  })

  it('imports a file, and writes the rows that failed', async () => {
    const importer = await startInstance({ worker: true })
    try {
      const login = { DRIPLINE_URL: `http://127.0.0.1:${importer.port}`, DRIPLINE_API_KEY: importer.key }
      const path = join(folder, 'customers.csv')
      writeFileSync(path, 'email,Plan\na@import.example,pro\nnot an address,free\nb@import.example,"5"" screen"\n')
      const args = ['import', path, '--consent', 'SUBSCRIBED']
      const undecided = await cli(args, { env: login })
      assert.equal(undecided.code, 1)
      assert.match(undecided.stderr, /Undecided: --column "Plan=…" {3}# pro, free/)
      const { code, stdout } = await cli([...args, '--column', 'Plan=metadata.plan', '--tag', 'imported'], {
        env: login,
      })
      assert.equal(code, 1)
      assert.equal(
        stdout,
        `Contacts created: 2, updated: 0. Suppressed addresses: 0.\nFailed rows: 1; see ${path}.errors.json\n`,
      )
      assert.partialDeepStrictEqual(JSON.parse(readFileSync(`${path}.errors.json`, 'utf8')), [{ line: 3 }])
      const { body } = await importer.call('GET', 'contacts/b@import.example')
      assert.partialDeepStrictEqual(body.data, { metadata: { plan: '5" screen' }, tags: ['imported'] })
      const wrong = await cli([...args, '--column', 'Newsletter=consent'], { env: login })
      assert.deepEqual([wrong.code, wrong.stderr.includes('needs the values that mean yes')], [2, true])
    } finally {
      await importer.stop()
    }
  })

  it('explains wrong usage and exits with 2', async () => {
    for (const [args, message] of [
      [['contacts', 'vanish'], 'Unknown command: contacts vanish. See "dripline contacts --help".'],
      [['vanish'], 'Unknown command: vanish. See "dripline --help".'],
      [['contacts', 'get'], 'ID is missing. See "dripline contacts get --help".'],
      [['contacts', 'get', 'a', 'b'], 'Unexpected argument "b". See "dripline contacts get --help".'],
      [['contacts', 'list', '--tags', 'x'], `Unknown option '--tags'. See "dripline contacts list --help".`],
      [['emails', 'send', '--to', 'a@b.co'], 'Pass either --template or --subject.'],
      [['contacts', 'list', '--limit', '0'], '--limit must be a whole number from 1.'],
      [
        ['contacts', 'upsert', '--email', 'a@b.co', '--metadata', '[]'],
        `--metadata must be a JSON object, such as '{"plan":"pro"}'.`,
      ],
    ] as const) {
      const { code, stderr } = await cli([...args])
      assert.deepEqual([code, stderr], [2, `${message}\n`])
    }
    const help = await cli(['contacts', '--help'])
    assert.deepEqual(
      [help.code, help.stdout.includes('contacts upsert'), help.stdout.includes('generate')],
      [0, true, false],
    )
    assert.match((await cli([])).stdout, /^Usage: dripline COMMAND/)
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      version: string
    }
    assert.equal((await cli(['--version'])).stdout, `${version}\n`)
  })

  it('explains how to continue if the instance cannot be reached', async () => {
    const env = { DRIPLINE_URL: 'http://127.0.0.1:1', DRIPLINE_API_KEY: 'svc_live_x' }
    const { code, stderr } = await cli(['whoami'], { env })
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^http:\/\/127.0.0.1:1 cannot be reached.*Check that the instance is running, or run "dripline login"\.\n$/,
    )
  })

  it('runs from each instance with npx', async () => {
    const env = {
      ...process.env,
      DRIPLINE_URL: url,
      DRIPLINE_API_KEY: service.key,
      npm_config_cache: join(folder, 'npm'),
    }
    const { stdout } = await run('npx', ['--yes', `${url}/cli.tgz`, 'whoami', '--json'], { cwd: folder, env })
    assert.equal(JSON.parse(stdout).workspace.id, service.workspaceId)
  })
})
