import assert from 'node:assert/strict'
import { runDoctor, type Finding } from '../../src/runtime/doctor.ts'
import { markRestored, enableSending } from '../../src/relay/restored.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import type { Instance } from '../support/instance.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

describe('the doctor', () => {
  let service: Instance
  let sink: SmtpSink
  useInstanceAndSink((started) => ({ service, sink } = started))

  const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
    const { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE } = service.context.config
    const own = { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE, PORT: String(service.port), SMTP_URL: sink.url }
    return { ...own, ...more }
  }
  const findings = (more?: NodeJS.ProcessEnv) => runDoctor(env(more), () => ({}))
  const of = (all: readonly Finding[], what: string) => all.find((finding) => finding.what === what)
  const wrongIn = async (more?: NodeJS.ProcessEnv) =>
    (await findings(more)).flatMap(({ is, what }) => (is === 'WRONG' ? [what] : []))

  it('finds nothing wrong in a healthy instance', async () => {
    const all = await findings()
    assert.deepEqual(
      all.map(({ is, what }) => [is, what]).slice(0, -1),
      ['configuration', 'Postgres', 'database', 'counters', 'Temporal', 'worker', 'API', 'sender', 'mail server'].map(
        (what) => ['fine', what],
      ),
    )
    // What it says depends on the name of this machine.
    assert.equal(all.at(-1)!.what, 'sending host')
    assert.notEqual(all.at(-1)!.is, 'WRONG')
  })

  it('names the problem of each component', async () => {
    const [nowhere] = (await freePorts(1)) as [number]
    assert.deepEqual(await wrongIn({ PORT: 'x' }), ['configuration'])
    const closed = await findings({ DATABASE_URL: `postgresql://user:hush-hush@127.0.0.1:${nowhere}/x` })
    assert.match(of(closed, 'Postgres')!.words, /ECONNREFUSED/)
    assert.ok(!JSON.stringify(closed).includes('hush-hush'))
    assert.deepEqual(await wrongIn({ TEMPORAL_ADDRESS: `127.0.0.1:${nowhere}` }), ['Temporal'])
    assert.match(of(await findings({ TEMPORAL_NAMESPACE: 'missing' }), 'Temporal')!.words, /no namespace "missing"/)
    assert.deepEqual(await wrongIn({ TEMPORAL_TASK_QUEUE: 'missing' }), ['worker', 'Temporal binding'])
    assert.equal(of(await findings({ PORT: String(nowhere) }), 'API')!.is, 'note')
    const mail = of(await findings({ SMTP_URL: `smtp://user:hush-hush@127.0.0.1:${nowhere}` }), 'mail server')!
    assert.equal(mail.is, 'WRONG')
    assert.ok(!JSON.stringify(mail).includes('hush-hush'))
    assert.equal(of(await findings({ SMTP_URL: undefined }), 'mail')!.is, 'note')
    const [elsewhere, PUBLIC_URL] = ['smtp://smtp.invalid:25', 'http://mail.example.com']
    const open = of(await findings({ SMTP_FALLBACK_URL: elsewhere, PUBLIC_URL }), 'public URL')!
    assert.match(open.advice!, /https/)
    assert.equal(of(await findings({ PUBLIC_URL }), 'public URL'), undefined)
    const nothing = await runDoctor({ DATA_DIR: '/tmp' }, () => ({}))
    assert.equal(of(nothing, 'service')!.is, 'WRONG')
    const half = await runDoctor({ DATA_DIR: '/tmp' }, () => ({ temporalAddress: '127.0.0.1:7233' }))
    assert.match(of(half, 'service')!.advice!, /^Also set DATABASE_URL here/)
    const refused = new URL(env()['DATABASE_URL']!)
    refused.pathname = '/missing'
    assert.match(of(await findings({ DATABASE_URL: refused.href }), 'Postgres')!.words, /rejects the login/)
  })

  it('names counters that differ from what they count', async () => {
    const em = service.context.orm.em.fork()
    await sql(
      em,
      `insert into step_counters (automation_id, step_id, counter, count) values (gen_random_uuid(), gen_random_uuid(), 'SENT', 3)`,
    )
    const finding = of(await findings(), 'counters')!
    assert.equal(finding.is, 'WRONG')
    assert.match(finding.words, /^1 differ from what they count, the first by 3: step \S+ \S+ SENT$/)
    await sql(em, `delete from step_counters where counter = 'SENT'`)
  })

  it('names the items that wait for an operator', async () => {
    const em = service.context.orm.em.fork()
    await sql(em, `update instance set lost_until = now() + interval '1 hour'`)
    assert.match(of(await findings(), 'sending')!.words, /treats all messages that are due until .* as possibly sent/)
    await sql(em, 'update instance set lost_until = null')
    await markRestored(em)
    await sql(
      em,
      `insert into outbox (kind, key, lane, due_at, created_at)
       values ('START', 'nobody', 'bulk', now() + interval '1 day', now() - interval '1 hour')`,
    )
    try {
      const all = await findings()
      assert.match(of(all, 'sending')!.advice!, /reconcile/)
      assert.match(of(all, 'events')!.words, /1 events are waiting for Temporal, the oldest for 36\d\d s/)
    } finally {
      await enableSending(em, undefined)
      await sql(em, `delete from outbox where key = 'nobody'`)
    }
    await eventually('nothing is wrong anymore', async () => (await wrongIn()).length === 0 || undefined)
  })
})
