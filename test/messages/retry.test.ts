import assert from 'node:assert/strict'
import { Client } from 'pg'
import type { RunningPart } from '../../src/parts/running-part.ts'
import { agreeOnMail } from '../../src/installation/mail-mode.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { dropRetry, putOffRetry, wakeRetries } from '../../src/messages/retry-queries.ts'
import type { Delivery } from '../../src/outbox/queries.ts'
import { walk } from '../../src/relay/walks.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { SENDER } from '../support/npm-start.ts'
import { quietLog } from '../support/log.ts'
import { resendMessage } from '../../src/messages/unconfirmed-messages.ts'
import { asUnconfirmedAs } from '../../src/messages/record-queries.ts'
import { createMail } from '../../src/parts/mail.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'

interface Listed {
  id: string
  status: string
  contactId: string
  retryAt: string | null
  error: string | null
  attempts: number
}

describe('a message that somebody has tried again', () => {
  let service: Service
  let sink: SmtpSink
  before(async () => {
    sink = await startSmtpSink()
    service = await startService({ env: { SMTP_URL: sink.url } })
  })
  after(async () => {
    await service.stop()
    await sink.close()
  })
  afterEach(() => sink.behave('accept'))

  const em = () => service.context.orm.em.fork()
  const retry = (id: string, body: object = {}, options = {}) =>
    service.call('POST', `messages/${id}/retry`, body, options)
  const only = async (contactId: string): Promise<Listed> => {
    const { body } = await service.call('GET', `messages?contactId=${contactId}`)
    return (body.data as Listed[])[0]!
  }
  const mailsTo = async (contactId: string) => {
    const to = await addressOf(service, contactId)
    return sink.mails.filter((mail) => mail.to.includes(to)).length
  }
  const becomes = (contactId: string, status: string) =>
    eventually(`it is ${status}`, async () => {
      const message = await only(contactId)
      return message?.status === status && message.retryAt === null ? message : undefined
    })

  /** Does one page of what goes round, as the relay would. */
  const goRound = (of: Pick<Delivery, 'id' | 'generation' | 'kind'> & Partial<Delivery>) =>
    walk(service.context.dependencies, {
      ...{ workspaceId: null, automationId: null, contactId: null, eventId: null, enrollmentId: null, messageId: null },
      ...{ afterId: null, attempts: 1, automationName: null, activeId: null, requestId: null },
      ...of,
    })

  /** A contact whose first email ended so; its sequence waits for the second one. */
  async function one(status: 'FAILED' | 'UNCONFIRMED' | 'CAPTURED' | 'SENT', fields: object = {}, of?: string) {
    const automationId = of ?? (await anAutomation(service, { steps: [EMAIL, wait(60), EMAIL], ...fields }))
    const contactId = await aContact(service)
    if (status === 'FAILED') sink.behave({ code: 550, text: 'no such mailbox', at: 'rcpt' })
    await enroll(service, automationId, contactId)
    const { id } = await becomes(contactId, status === 'FAILED' ? 'FAILED' : 'SENT')
    sink.behave('accept')
    await sql(em(), `update messages set status = $2 where id = $1::uuid`, [id, status])
    return { id, contactId, automationId }
  }

  it('is sent, where it FAILED, and its sequence goes on as it did', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    assert.equal(await mailsTo(contactId), 0)
    const asked = await retry(id)
    assert.equal(asked.status, 202)
    assert.partialDeepStrictEqual(asked.body.data, { id, status: 'FAILED' })
    const sent = await becomes(contactId, 'SENT')
    assert.deepEqual([sent.error, await mailsTo(contactId)], [null, 1])
    assert.equal((await retry(id)).refused, '409 message_not_retryable')
    const { body } = await service.call('GET', `automations/${automationId}/enrollments`)
    assert.equal(body.data[0].status, 'ACTIVE')
  })

  it('fails again, with the words of today', async () => {
    const { id, contactId } = await one('FAILED')
    sink.behave({ code: 552, text: 'mailbox full', at: 'rcpt' })
    await retry(id)
    const failed = await eventually('it has failed again', async () => {
      const message = await only(contactId)
      return message.error?.includes('mailbox full') && message.retryAt === null ? message : undefined
    })
    assert.equal(failed.status, 'FAILED')
  })

  it('is tried until the mail server takes it, and is what it was as long as it does not', async () => {
    const { id, contactId } = await one('FAILED')
    sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    await retry(id)
    const put = await eventually('it was put off', async () => {
      const message = await only(contactId)
      return message.error?.includes('later') ? message : undefined
    })
    assert.equal(put.status, 'FAILED')
    assert.ok(put.retryAt)
    sink.behave('accept')
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 1)
  })

  it('is sent once, however often it is asked for meanwhile', async () => {
    const { id, contactId } = await one('FAILED')
    const answers = await Promise.all(Array.from({ length: 8 }, () => retry(id)))
    assert.ok(answers.some(({ status }) => status === 202))
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 1)
  })

  it('may arrive twice where it is UNCONFIRMED, which has to be allowed', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    const refused = await retry(id)
    assert.equal(refused.refused, '409 may_arrive_twice')
    assert.equal(refused.headers.get('x-error-param'), '/evenIfSent')
    assert.equal((await retry(id, { evenIfSent: true })).status, 202)
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 2)
  })

  it('is delivered where it was CAPTURED and mail is delivered by now, and not where it would be captured again', async () => {
    const { id, contactId } = await one('CAPTURED')
    await agreeOnMail(em(), { smtp: true, capture: true })
    assert.equal((await retry(id)).refused, '409 would_be_captured')
    await agreeOnMail(em(), { smtp: true, capture: false })
    assert.equal((await retry(id)).status, 202)
    await becomes(contactId, 'SENT')
    const testKey = await service.newKey({ mode: 'test' })
    const its = {
      ...service,
      call: (...of: Parameters<Service['call']>) => service.call(of[0], of[1], of[2], { key: testKey }),
    }
    const inTest = await aContact(its)
    await enroll(its, await anAutomation(its), inTest)
    const captured = await eventually('it is captured', async () => (await activityOf(its, inTest))[0])
    const again = await its.call('POST', `messages/${(captured as unknown as Listed).id}/retry`, {})
    assert.equal(again.refused, '409 would_be_captured')
  })

  it('is never said to be unsent again where it may have been: not by a capture, and neither is a retry lost by a resend', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    await agreeOnMail(em(), { smtp: true, capture: true })
    assert.equal((await retry(id, { evenIfSent: true })).refused, '409 would_be_captured')
    assert.equal(asUnconfirmedAs('UNCONFIRMED', { status: 'CAPTURED', response: null }).status, 'UNCONFIRMED')
    const mail = createMail(service.context.config, service.context.orm.em, SENDER)
    const resend = () => resendMessage({ ...mail, em: em(), metrics: noMetrics, log: quietLog }, id)
    await assert.rejects(resend(), { message: /would only capture it/ })
    await agreeOnMail(em(), { smtp: true, capture: false })
    sink.behave({ code: 451, text: '4.3.0 later', at: 'rcpt' })
    assert.equal((await retry(id, { evenIfSent: true })).status, 202)
    assert.equal((await resend()).status, 'UNCONFIRMED')
    sink.behave('accept')
    await becomes(contactId, 'SENT')
    await mail.smtp?.close()
    await mail.renderer.close()
  })

  it('waits while its automation is paused, and nobody asks again and again', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    assert.equal((await retry(id)).status, 202)
    const handle = service.context.temporal.workflow.getHandle(`retry:${id}`)
    await eventually('its workflow has nothing to do', async () =>
      (await handle.describe()).status.name === 'COMPLETED' ? true : undefined,
    )
    const waits = await only(contactId)
    assert.equal(waits.status, 'FAILED')
    assert.ok(waits.retryAt)
    assert.equal(await mailsTo(contactId), 0)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await becomes(contactId, 'SENT')
  })

  it('is one of many that are looked at again, in pages, when their automation goes on', async () => {
    const { id, automationId } = await one('FAILED')
    const ids = [id, (await one('FAILED', {}, automationId)).id, (await one('FAILED', {}, automationId)).id].toSorted()
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await sql(em(), 'update messages set retry_at = now() where id = any($1::uuid[])', [ids])
    const due = async () =>
      (
        await sql<{ id: string }>(
          em(),
          `select message_id as id from outbox where kind = 'RETRY' and message_id = any($1::uuid[]) order by 1`,
          [ids],
        )
      ).map((row) => row.id)
    // The relay takes none of them meanwhile.
    await service.stopWorkers()
    assert.equal(await wakeRetries(em(), automationId, null, 2), ids[1])
    assert.deepEqual(await due(), ids.slice(0, 2))
    assert.equal(await wakeRetries(em(), automationId, ids[1]!, 2), null)
    assert.deepEqual(await due(), ids)
    await service.startWorker()
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    const statuses = async () =>
      (await sql<{ status: string }>(em(), 'select status from messages where id = any($1::uuid[])', [ids])).map(
        ({ status }) => status,
      )
    await eventually('all are sent', async () => (await statuses()).every((status) => status === 'SENT') || undefined)
  })

  it('is one of more than a page, of which each page is done once', async () => {
    const { id, automationId } = await one('FAILED')
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await service.stopWorkers()
    const columns =
      'workspace_id, enrollment_id, step_id, automation_id, contact_id, status, attempts, claimed_at, created_at'
    await sql(
      em(),
      `insert into messages (id, claim, visit, retry_at, ${columns})
       select gen_random_uuid(), gen_random_uuid(), n, now(), ${columns} from messages, generate_series(1, 1001) n where id = $1::uuid`,
      [id],
    )
    const due = () =>
      sql<{ id: string; generation: number; after_id: string | null; kind: string }>(
        em(),
        `select id::text, generation, after_id, kind from outbox
         where automation_id = $1::uuid or message_id in (select id from messages where automation_id = $1::uuid)`,
        [automationId],
      )
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    const step = async () => {
      const { id: walkId, generation, after_id: afterId } = (await due()).find(({ kind }) => kind === 'WAKE_RETRIES')!
      await goRound({ id: walkId, generation, kind: 'WAKE_RETRIES', automationId, afterId })
      const left = await due()
      const at = left.find(({ kind }) => kind === 'WAKE_RETRIES')?.after_id
      return { retries: left.filter(({ kind }) => kind === 'RETRY').length, at }
    }
    const first = await step()
    assert.equal(first.retries, 1_000)
    assert.ok(first.at)
    assert.deepEqual(await step(), { retries: 1_001, at: undefined })
    await service.call('DELETE', `automations/${automationId}`)
    await service.startWorker()
  })

  it('is told to a Temporal that has lost it, by whoever goes round', async () => {
    const { id, contactId } = await one('FAILED')
    await sql(em(), `update messages set retry_at = now() - interval '1 hour' where id = $1::uuid`, [id])
    const [delivery] = await sql<{ id: string; generation: number }>(
      em(),
      `insert into outbox (kind, key, lane) values ('RECONCILE', '', 'walk')
       on conflict (kind, key) do update set after_id = null returning id::text, generation`,
    )
    await goRound({ ...delivery!, kind: 'RECONCILE' })
    await becomes(contactId, 'SENT')
  })

  it('is not tried again where its enrollment is ended meanwhile, also in the middle of an attempt', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    await retry(id)
    await eventually('it was put off', async () =>
      (await only(contactId)).error?.includes('later') ? true : undefined,
    )
    assert.equal((await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)).status, 200)
    const dropped = await only(contactId)
    assert.deepEqual([dropped.status, dropped.retryAt], ['FAILED', null])
    // Whoever asks behind that has it sent.
    sink.behave('accept')
    assert.equal((await retry(id)).status, 202)
    await becomes(contactId, 'SENT')
  })

  it('is not tried once more where a DELETE comes in the middle of an attempt, also at an earlier enrollment’s', async () => {
    const { id, contactId, automationId } = await one('FAILED', { onSendFailure: 'STOP' })
    const retryAt = new Date().toISOString()
    const [row] = await sql<{ claim: string; attempts: number }>(
      em(),
      `update messages set status = 'SENDING', claim = gen_random_uuid(), lease_until = now() + interval '30 seconds'
       where id = $1::uuid returning claim, attempts`,
      [id],
    )
    const path = `automations/${automationId}/enrollments/${contactId}`
    // Nobody is in; but something is on its way, which is waited for.
    assert.equal((await service.call('DELETE', path)).refused, '503 still_sending')
    assert.equal((await activityOf(service, contactId))[0]!.status, 'SENDING')
    await putOffRetry(em(), id, { ...row!, before: 'FAILED', error: 'later', retryAt })
    assert.partialDeepStrictEqual(await only(contactId), { status: 'FAILED', retryAt: null })
    assert.equal((await service.call('DELETE', path)).refused, '404 not_enrolled')
  })

  it('that waits, of an enrollment that is over, is ended by the DELETE of the next one, or of nobody', async () => {
    for (const entersAgain of [true, false]) {
      const { id, contactId, automationId } = await one('FAILED', { onSendFailure: 'STOP' })
      await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
      assert.equal((await retry(id)).status, 202)
      await service.call('PATCH', `automations/${automationId}`, { status: 'ARCHIVED' })
      sink.behave({ code: 451, text: 'later', at: 'rcpt' })
      if (entersAgain) {
        await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
        await enroll(service, automationId, contactId)
      }
      assert.equal((await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)).status, 200)
      const { body } = await service.call('GET', `messages?contactId=${contactId}`)
      for (const message of body.data as Listed[]) assert.equal(message.retryAt, null)
      sink.behave('accept')
    }
  })

  it('stays UNCONFIRMED where the second try is refused: the first may have arrived', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    sink.behave({ code: 550, text: 'refused now', at: 'rcpt' })
    await retry(id, { evenIfSent: true })
    const told = await eventually('it was refused', async () => {
      const message = await only(contactId)
      return message.error?.includes('refused now') ? message : undefined
    })
    assert.deepEqual([told.status, told.retryAt], ['UNCONFIRMED', null])
  })

  it('is left alone where somebody has settled it since the attempt looked', async () => {
    for (const settled of ['DISMISSED', 'SENT']) {
      const { id, contactId } = await one('UNCONFIRMED')
      const [row] = await sql<{ attempts: number }>(
        em(),
        `update messages set status = $2, retry_at = now() where id = $1::uuid returning attempts`,
        [id, settled],
      )
      const put = { claim: newId(), attempts: row!.attempts, before: 'UNCONFIRMED' as const, error: 'x', retryAt: null }
      await putOffRetry(em(), id, put)
      assert.equal((await only(contactId)).status, settled)
      assert.equal(await dropRetry(em(), id), false)
      assert.equal((await only(contactId)).retryAt, null)
    }
  })

  it('is dropped by a DELETE of its enrollment that comes while many are asked for', async () => {
    const other = await one('FAILED')
    const { contactId, automationId } = await one('FAILED', {}, other.automationId)
    const client = new Client({ connectionString: service.context.config.DATABASE_URL })
    await client.connect()
    // Somebody writes another one of them at this moment.
    await client.query('begin')
    await client.query('select from messages where id = $1::uuid for update', [other.id])
    const bulk = service.call('POST', 'messages/retry', { status: 'FAILED', automationId })
    await eventually('it waits', async () => {
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%set retry_at = now()%'`
      return (await sql(em(), waiting)).length > 0 ? true : undefined
    })
    const ended = service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
    await eventually('it waits for that', async () => {
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'select from contacts%for update'`
      return (await sql(em(), waiting)).length > 0 ? true : undefined
    })
    await client.query('commit')
    await client.end()
    assert.deepEqual((await bulk).body.data, { retried: 2, nextCursor: null })
    assert.equal((await ended).status, 200)
    assert.equal((await only(contactId)).retryAt, null)
    await becomes(other.contactId, 'SENT')
    assert.equal((await only(contactId)).status, 'FAILED')
  })

  it('is, among many, none of who was taken out since, also of an earlier enrollment, and by name all the same', async () => {
    const { id, contactId, automationId } = await one('FAILED', { onSendFailure: 'STOP' })
    await eventually('she is in again', async () =>
      (await enroll(service, automationId, contactId)).body.data.enrolled === true ? true : undefined,
    )
    assert.equal((await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)).status, 200)
    const bulk = await service.call('POST', 'messages/retry', { status: 'FAILED', automationId })
    assert.deepEqual(bulk.body.data, { retried: 0, nextCursor: null })
    assert.equal((await retry(id)).status, 202)

    // Where the DELETE found nothing but what was to be tried again.
    const alone = await one('FAILED', { onSendFailure: 'STOP' })
    sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    assert.equal((await retry(alone.id)).status, 202)
    const end = `automations/${alone.automationId}/enrollments/${alone.contactId}`
    assert.equal((await service.call('DELETE', end)).status, 200)
    sink.behave('accept')
    const all = await service.call('POST', 'messages/retry', { status: 'FAILED', automationId: alone.automationId })
    assert.equal(all.body.data.retried, 0)
  })

  it('is none of a deleted automation, of another workspace, or of nobody', async () => {
    const { id, automationId } = await one('FAILED')
    const other = await service.newKey()
    assert.equal((await retry(id, {}, { key: other })).refused, '404 message_not_found')
    assert.equal((await retry(newId())).refused, '404 message_not_found')
    assert.equal((await retry('nobody')).refused, '404 message_not_found')
    assert.equal((await service.call('DELETE', `automations/${automationId}`)).status, 200)
    assert.equal((await retry(id)).refused, '409 message_not_retryable')
  })

  it('is given back when its claim is not answered, and the late one finds another attempt', async () => {
    const { id, contactId } = await one('FAILED')
    const prototype = Client.prototype as unknown as { query: (...of: unknown[]) => Promise<unknown> }
    const { query } = prototype
    let failed = 0
    prototype.query = async function (this: unknown, ...of) {
      const answer = await query.apply(this, of)
      if ((of[0] as { name?: string } | undefined)?.name !== 'claim-retry' || failed > 0) return answer
      failed += 1
      // It was made, and its answer is lost.
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
    }
    try {
      await retry(id)
      const sent = await becomes(contactId, 'SENT')
      assert.deepEqual([failed, await mailsTo(contactId)], [1, 1])
      assert.ok(sent.attempts >= 3)
    } finally {
      prototype.query = query
    }
  })

  it('is handed over once by a request that is repeated with its Idempotency-Key', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    const headers = { 'idempotency-key': newId() }
    const ask = () => retry(id, { evenIfSent: true }, { headers })
    const [first] = [await ask()]
    await becomes(contactId, 'SENT')
    // As if the first one's answer had never been kept: its API died behind the commit.
    const again = await ask()
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    assert.equal(await mailsTo(contactId), 2)
  })

  it('is tried once more where it is asked for again in the moment in which the last try ends', async () => {
    const { id, contactId } = await one('FAILED')
    for (const round of [1, 2, 3]) {
      sink.behave({ code: 550, text: `round ${round}`, at: 'rcpt' })
      await retry(id)
      await eventually('it has failed again', async () =>
        (await only(contactId)).error?.includes(`round ${round}`) ? true : undefined,
      )
    }
    sink.behave('accept')
    // At once: the workflow of the last one may still be there.
    await retry(id)
    await becomes(contactId, 'SENT')
  })

  it('is UNCONFIRMED where its sender died, and is not sent again by itself', async () => {
    const { id, contactId } = await one('FAILED')
    // As a sender that was killed behind its claim leaves it: what is claimed is not to be tried again any more.
    await sql(
      em(),
      `update messages set status = 'SENDING', claim = gen_random_uuid(), retry_at = null,
         lease_until = now() - interval '2 minutes' where id = $1::uuid`,
      [id],
    )
    const worker: RunningPart = await service.startWorker()
    const message = await becomes(contactId, 'UNCONFIRMED')
    assert.match(message.error!, /sender stopped/)
    assert.equal(await mailsTo(contactId), 0)
    await worker.stop()
  })
})

describe('messages that somebody has tried again', () => {
  let service: Service
  let sink: SmtpSink
  before(async () => {
    sink = await startSmtpSink()
    service = await startService({ env: { SMTP_URL: sink.url } })
  })
  after(async () => {
    await service.stop()
    await sink.close()
  })

  it('are those of a status, an automation and a time, and the others stay', async () => {
    const automationId = await anAutomation(service)
    const contacts: string[] = []
    sink.behave({ code: 550, text: 'no', at: 'rcpt' })
    for (let n = 0; n < 4; n += 1) {
      const contactId = await aContact(service)
      await enroll(service, n === 3 ? await anAutomation(service) : automationId, contactId)
      contacts.push(contactId)
    }
    const listed = async (query: string) => (await service.call('GET', `messages?${query}`)).body.data as Listed[]
    await eventually('all have failed', async () => ((await listed('status=FAILED')).length === 4 ? true : undefined))
    sink.behave('accept')
    assert.equal((await listed(`status=FAILED&automationId=${automationId}`)).length, 3)
    assert.equal((await listed(`until=2020-01-01T00:00:00Z`)).length, 0)
    // RFC 3339 has offsets up to 23:59, and Postgres up to 15:59.
    assert.equal((await listed(`since=0001-01-01T00:00:00%2B23:59&until=9999-12-31T23:59:59-23:59`)).length, 4)
    assert.equal(
      (await listed(`since=2020-01-01T00:00:00Z&contactId=email:${await addressOf(service, contacts[0]!)}`)).length,
      1,
    )
    const nobody = await service.call('GET', 'messages?contactId=email:nobody@example.com')
    assert.equal(nobody.refused, '404 contact_not_found')
    assert.equal((await listed(`automationId=nothing`)).length, 0)
    for (const wrong of ['since=yesterday', 'until=0000-01-01T00:00:00Z', 'since=2026-02-30', 'status=NONE'])
      assert.equal((await service.call('GET', `messages?${wrong}`)).refused, '400 invalid_request')
    const retryAll = (body: object) => service.call('POST', 'messages/retry', body)
    assert.equal((await retryAll({ status: 'UNCONFIRMED' })).refused, '409 may_arrive_twice')
    assert.equal((await retryAll({ status: 'SENT' })).refused, '400 invalid_request')
    assert.deepEqual((await retryAll({ status: 'FAILED', automationId })).body.data, { retried: 3, nextCursor: null })
    await eventually('three are sent', async () => ((await listed('status=SENT')).length === 3 ? true : undefined))
    assert.deepEqual(
      (await listed('status=FAILED')).map(({ contactId }) => contactId),
      [contacts[3]],
    )
    const other = await service.newKey()
    const named = { status: 'FAILED', contactId: 'email:nobody@example.com' }
    assert.equal((await retryAll(named)).refused, '404 contact_not_found')
    const theirs = await service.call('GET', `messages?automationId=${automationId}`, undefined, { key: other })
    assert.deepEqual(theirs.body, { data: [], pagination: { limit: 50, nextCursor: null } })
    assert.equal(
      (await service.call('POST', 'messages/retry', { status: 'FAILED' }, { key: other })).body.data.retried,
      0,
    )
  })
})
