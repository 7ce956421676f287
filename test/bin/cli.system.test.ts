import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { recordTemporalBinding } from '../../src/instance/queries.ts'
import { agreeOnMail } from '../../src/instance/mail-mode.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { ROOT } from '../support/npm-start.ts'
import { deferStep, stepOf } from '../support/step-claims.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

/** Runs the command line as a process and checks its output and exit code. */
describe('the command line', function () {
  this.timeout(180_000)
  let service: Instance
  let sink: SmtpSink
  before(async () => {
    sink = await startSmtpSink()
    service = await startInstance({ worker: false })
  })
  after(async () => {
    await service.stop()
    await sink.close()
  })

  const em = () => service.context.orm.em.fork()

  async function cli(args: string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [join(ROOT, 'src/bin/cli.ts'), ...args], {
      env: { ...process.env, DATABASE_URL: service.context.config.DATABASE_URL, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await code, stdout, stderr }
  }

  it('prints its version, and all commands with --help', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    assert.deepEqual(await cli(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' })
    const { stdout } = await cli(['--help'])
    for (const noun of ['init', 'migrate', 'workspace', 'key', 'segment', 'message'])
      assert.match(stdout, new RegExp(`^  ${noun} `, 'm'))
  })

  it('prints the migrate command when the database is from another version', async () => {
    const { code, stderr } = await cli(['key', 'list'], { DATABASE_URL: await createEmptyDatabase() })
    assert.equal(code, 1)
    assert.match(stderr, /The database schema is older than this version .* npm run --silent cli -- migrate/)
  })

  it('creates invitation links with the public URL of the service', async () => {
    const linkOf = async (env: NodeJS.ProcessEnv, ...args: string[]) =>
      (JSON.parse((await cli(['member', 'create', '--json', ...args], env)).stdout) as { link: string }).link
    const PUBLIC_URL = 'https://mail.example.com'
    assert.match(await linkOf({ PUBLIC_URL }), /^https:\/\/mail\.example\.com\/join#/)
    assert.match(await linkOf({ PUBLIC_URL }, '--url', 'http://localhost:4000'), /^http:\/\/localhost:4000\/join#/)
  })

  it('writes audit entries for its changes in the affected workspaces', async () => {
    const json = async (...args: string[]) => JSON.parse((await cli([...args, '--json'])).stdout) as { id: string }
    const workspace = await json('workspace', 'create', '--name', 'Told', '--mode', 'live')
    const key = await json('key', 'create', '--workspace', workspace.id, '--name', 'Backend', '--scopes', 'all')
    const rotated = await json('key', 'rotate', key.id)
    await json('key', 'delete', rotated.id)
    const link = await json('member', 'create', '--workspace', workspace.id)
    const pro = ['--name', 'Pro', '--condition', '{"metadata":"plan","is":"equal","value":"pro"}']
    const segment = await json('segment', 'create', '--workspace', workspace.id, ...pro)
    await json('segment', 'delete', segment.id)
    const rows = await sql<{ operation: string; target_id: string; actor: string }>(
      em(),
      'select operation, target_id, actor from audit_entries where workspace_id = $1 order by created_at, id',
      [workspace.id],
    )
    assert.deepEqual(
      rows.map(({ operation, target_id, actor }) => [operation, target_id, actor]),
      [
        ['createWorkspace', workspace.id],
        ['createApiKey', key.id],
        ['rotateApiKey', key.id],
        ['deleteApiKey', rotated.id],
        ['invite', link.id],
        ['createSegment', segment.id],
        ['deleteSegment', segment.id],
      ].map((row) => [...row, 'command line']),
    )
  })

  it('does not reconcile with the Temporal server of another instance', async () => {
    const { TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE: taskQueue } = service.context.config
    const TEMPORAL = { TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE: taskQueue }
    await recordTemporalBinding(em(), { namespace: 'default', namespaceId: 'another', taskQueue })
    for (const [env, words] of [
      [{ TEMPORAL_ADDRESS }, /uses the task queue "test-.*Set TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE/],
      [TEMPORAL, /uses another Temporal server.*TEMPORAL_ADDRESS/],
    ] as const) {
      for (const more of [[], ['--dry-run']]) {
        const { code, stderr } = await cli(['reconcile', ...more], env)
        assert.equal(code, 1)
        assert.match(stderr.replaceAll('\n', ' '), words)
      }
    }
    const unit = em()
    await sql(unit, 'update instance set temporal_namespace_id = null')
    assert.match((await cli(['reconcile'], TEMPORAL)).stdout, /They agree/)
  })

  describe('message commands', () => {
    before(() => agreeOnMail(em(), { smtp: true, capture: false }))

    /** Creates a message whose transmission began and whose outcome is unknown. */
    async function anUnconfirmed(): Promise<string> {
      const contactId = await aContact(service)
      const automationId = await anAutomation(service)
      await enroll(service, automationId, contactId)
      const { id } = (await deferStep(service, await stepOf(service, automationId, contactId), 'cut')).message
      await sql(em(), `update messages set status = 'UNCONFIRMED' where id = $1::uuid`, [id])
      return id
    }

    it('reports a missing message to resend first, then missing settings', async () => {
      const nothing = await cli(['message', 'resend', newId()])
      assert.equal(nothing.code, 1)
      assert.match(nothing.stderr, /There is no unconfirmed message/)
      const id = await anUnconfirmed()
      assert.match((await cli(['message', 'resend', id])).stderr, /Set SMTP_URL/)
      assert.match((await cli(['message', 'resend', id], { SMTP_URL: sink.url })).stderr, /MAIL_FROM/)
      assert.equal(sink.mails.length, 0)
    })

    it('resends with the sender of the instance unless MAIL_FROM is set', async () => {
      await sql(em(), 'update instance set mail_from = $1', ['Me <me@example.com>'])
      const sent = await cli(['message', 'resend', await anUnconfirmed()], { SMTP_URL: sink.url })
      assert.deepEqual([sent.code, sent.stderr], [0, ''])
      assert.match(sink.mails.at(-1)!.headers, /^From: Me <me@example\.com>\r?$/m)
      const overridden = { SMTP_URL: sink.url, MAIL_FROM: 'You <you@example.com>' }
      assert.equal((await cli(['message', 'resend', await anUnconfirmed()], overridden)).code, 0)
      assert.match(sink.mails.at(-1)!.headers, /^From: You <you@example\.com>\r?$/m)
    })

    it('prints the reason and exits with 1 when a message is not resent', async () => {
      await sql(em(), 'update instance set mail_from = $1', ['Me <me@example.com>'])
      const id = await anUnconfirmed()
      sink.behave({ code: 451, text: 'later', at: 'rcpt' })
      const deferred = await cli(['message', 'resend', id], { SMTP_URL: sink.url })
      assert.equal(deferred.code, 1)
      assert.match(deferred.stdout, /is now UNCONFIRMED: 451 later/)
      sink.behave('accept')
    })

    it('reports that a message is already dismissed', async () => {
      const id = await anUnconfirmed()
      assert.equal((await cli(['message', 'dismiss', id])).code, 0)
      const again = await cli(['message', 'dismiss', id])
      assert.equal(again.code, 1)
      assert.match(again.stderr, /is already DISMISSED/)
      const audited = `select from audit_entries where operation = 'dismissMessage' and target_id = $1::uuid`
      assert.equal((await sql(em(), audited, [id])).length, 1)
    })
  })

  it('creates keys that expire, and rotates them', async () => {
    const rotating = ['workspace', 'create', '--name', 'Rotating', '--mode', 'test', '--json']
    const { id: workspace } = JSON.parse((await cli(rotating)).stdout) as { id: string }
    const limits = ['--allow', '10.0.0.0/8', '--rate-limit', '7']
    const create = ['key', 'create', '--workspace', workspace, '--name', 'Ends', '--scopes', 'lists:read', ...limits]
    const expiring = async (expires: string) =>
      JSON.parse((await cli([...create, '--expires', expires, '--json'])).stdout) as Record<string, string>
    const made = await expiring('2100-12-31')
    const expected = { expiresAt: '2101-01-01T00:00:00.000Z', allow: ['10.0.0.0/8'], rateLimit: 7 }
    assert.partialDeepStrictEqual(made, expected)
    assert.match(made['key']!, /^svc_test_/)
    assert.equal((await expiring('9999-12-31'))['expiresAt'], '9999-12-31T23:59:59.000Z')
    for (const wrong of ['2020-01-01', 'tomorrow', '2100-02-30', '2100-02-31x', '2100-12-31T12:00']) {
      assert.equal((await cli([...create, '--expires', wrong])).code, 1, wrong)
    }
    const { stdout } = await cli(['key', 'rotate', made['id']!, '--overlap', '1.5', '--json'])
    const rotated = JSON.parse(stdout) as { key: string; scopes: string[]; rotated: { id: string; expiresAt: string } }
    assert.deepEqual([rotated.rotated.id, rotated.scopes], [made['id'], ['lists:read']])
    const overlap = Date.parse(rotated.rotated.expiresAt) - Date.now()
    assert.ok(overlap > 80 * 60_000 && overlap <= 90 * 60_000, String(overlap))
    assert.equal((await cli(['key', 'rotate', made['id']!, '--overlap', '-1'])).code, 1)
    assert.equal((await cli(['key', 'rotate', newId()])).code, 1)
    const listed = (await cli(['key', 'list'])).stdout
    assert.match(listed, /never used; expires/)
    assert.ok(!listed.includes(made['key']!))
  })

  it('names DATABASE_URL when the database does not exist', async () => {
    const DATABASE_URL = Object.assign(new URL(service.context.config.DATABASE_URL), { pathname: '/nope' }).href
    const { code, stderr } = await cli(['workspace', 'list'], { DATABASE_URL })
    assert.equal(code, 1)
    assert.match(stderr, /rejects the login \(.*"nope" does not exist\)\. Set DATABASE_URL/)
  })

  it('rejects invalid arguments in at most three lines', async () => {
    const wrong: [string[], RegExp][] = [
      [['key', 'create', '--workspace', newId(), '--name', 'a\nb', '--scopes', 'all'], /not contain line breaks/],
      [['segment', 'list', '--workspace', newId()], /There is no workspace/],
      [['key', 'list', '--bogus'], /unknown option '--bogus'/],
      [['key', 'create', '--workspace', newId(), '--name', 'k', '--scopes', 'none'], /It must be "all" or some of/],
      [['key', 'delete', newId()], /API key not found/],
      [['reconcile', '--nothing-lost', '--lost-until', '2026-01-01T00:00:00Z'], /cannot be combined/],
      [['reconcile', '--lost-until', '2026-01-01'], /It must be a timestamp/],
    ]
    for (const [args, words] of wrong) {
      const { code, stderr } = await cli(args)
      assert.equal(code, 1)
      assert.match(stderr, words)
      assert.ok(stderr.trim().split('\n').length <= 3, stderr)
    }
  })
})
