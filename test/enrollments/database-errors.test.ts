import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

describe('database errors', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    // Errors of a statement during a failover, a cancellation by an operator, or a deadlock.
    await run('create table failing (code text not null, on_table text not null, left_ integer not null)')
    await run(`
      create function fail() returns trigger language plpgsql as $$
      declare code_ text;
      begin
        select code into code_ from failing where on_table = tg_table_name || ' ' || tg_op and nextval('failures') <= left_;
        if found then raise exception using errcode = code_, message = 'as the test wants it'; end if;
        return new;
      end $$`)
    await run('create sequence failures')
    for (const table of ['messages', 'enrollments', 'idempotency_keys']) {
      await run(`create trigger fail before insert or update on ${table} for each row execute function fail()`)
    }
  })

  after(async () => {
    await run('drop function fail() cascade')
    await run('drop table failing')
    await run('drop sequence failures')
  })

  const run = (text: string, parameters: unknown[] = []) => sql(service.context.orm.em.fork(), text, parameters)
  const fail = async (code: string, onTable: string, times: number) => {
    await run(`alter sequence failures restart`)
    await run('insert into failing values ($1, $2, $3)', [code, onTable, times])
  }
  afterEach(() => run('delete from failing'))

  for (const [code, what] of [
    ['25006', 'is read-only'],
    ['57014', 'cancels a statement'],
    ['40P01', 'ends a deadlock'],
    ['53300', 'has no connection left'],
  ] as const) {
    it(`record an accepted email as SENT if Postgres ${what} at that moment`, async () => {
      const contactId = await aContact(service)
      const automationId = await anAutomation(service, { steps: [EMAIL] })
      const before = sink.mails.length
      await fail(code, 'messages UPDATE', 3)
      await enroll(service, automationId, contactId)
      await eventually('it is SENT', async () =>
        (await activityOf(service, contactId))[0]?.status === 'SENT' ? true : undefined,
      )
      assert.equal(sink.mails.length, before + 1)
    })
  }

  it('return 503, not 500, when the database is read-only', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await fail('25006', 'idempotency_keys INSERT', 1_000)
    const options = { headers: { 'idempotency-key': 'read-only' } }
    const { refused } = await service.call('POST', `automations/${automationId}/enroll`, { contactId }, options)
    assert.equal(refused, '503 database_unavailable')
  })

  it('add no events to the history while an enrollment cannot be recorded', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await fail('25006', 'enrollments INSERT', 1_000)
    await enroll(service, automationId, contactId)
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    await eventually('a normal activity records it', async () => {
      const { raw } = await handle.describe()
      return (raw.pendingActivities?.[0]?.attempt ?? 0) >= 3 ? true : undefined
    })
    assert.ok(((await handle.fetchHistory()).events?.length ?? 0) <= 10)
    await run('delete from failing')
    await eventually('the email arrives', async () =>
      (await activityOf(service, contactId))[0]?.status === 'SENT' ? true : undefined,
    )
  })

  it('roll back a request together with its stored response', async () => {
    const automationId = await anAutomation(service)
    const pause = () =>
      service.call(
        'PATCH',
        `automations/${automationId}`,
        { status: 'PAUSED' },
        { headers: { 'idempotency-key': `pause-${automationId}` } },
      )
    // The response cannot be stored, so the effect is also rolled back.
    await fail('57P01', 'idempotency_keys UPDATE', 1)
    assert.equal((await pause()).refused, '503 database_unavailable')
    const status = async () => (await service.call('GET', `automations/${automationId}`)).body.data.status as string
    assert.equal(await status(), 'ACTIVE')
    assert.equal((await pause()).status, 200)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    assert.equal((await pause()).headers.get('idempotent-replayed'), 'true')
    assert.equal(await status(), 'ACTIVE')
  })

  it('do not delay other automations while one is locked', async () => {
    const [locked, free] = [await anAutomation(service), await anAutomation(service)]
    const contacts = await Promise.all(Array.from({ length: 60 }, () => aContact(service)))
    let unlock = () => undefined as void
    const transaction = service.context.orm.em.fork().transactional(async (em) => {
      await sql(em, 'set local idle_in_transaction_session_timeout = 0')
      await sql(em, 'select from automations where id = $1::uuid for update', [locked])
      await new Promise<void>((resolve) => (unlock = resolve))
    })
    await Promise.all(contacts.map((contactId) => enroll(service, locked, contactId)))
    const mine = await aContact(service)
    await enroll(service, free, mine)
    await eventually('the other automation mails', async () =>
      (await activityOf(service, mine))[0]?.status === 'SENT' ? true : undefined,
    )
    unlock()
    await transaction.catch(() => undefined)
    await eventually(
      'the locked automation sends, too',
      async () => {
        const { body } = await service.call('GET', 'automations?limit=100')
        const found = (body.data as { id: string; completedCount: number }[]).find(({ id }) => id === locked)
        return found?.completedCount === contacts.length ? true : undefined
      },
      90_000,
    )
  }).timeout(120_000)
})
