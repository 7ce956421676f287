import assert from 'node:assert/strict'
import { sendEmail } from '../../src/emails/send-email.ts'
import { advanceImport, startImport } from '../../src/imports/index.ts'
import { expireLeases, findMessage, prepareStored } from '../../src/messages/index.ts'
import type { Attempt, MessageStore } from '../../src/messages/store.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import { SENDER } from '../support/npm-start.ts'
import { anAttempt, storeOf } from '../support/step-claims.ts'
import { openWorkspace } from '../support/shared-service.ts'

const SENDING = { status: 'SENDING' } as const
const LATER = new Date(Date.now() + 24 * 60 * 60_000).toISOString()

describe('attempts to send a transactional email, and concurrent stops', () => {
  let service: Service
  before(async () => (service = await openWorkspace({ worker: false })))

  const em = () => service.context.orm.em.fork()

  async function anEmail(to: string): Promise<string> {
    const fields = { to, subject: 'Receipt', text: 'Thank you', scheduledAt: LATER }
    return (await service.call('POST', 'emails', fields)).body.data.id as string
  }
  /** Reads and prepares an email, as a worker does before it waits for a connection. */
  async function prepare(id: string) {
    const store = storeOf(service)
    const message = await prepareStored({ em: em(), store }, (await findMessage(em(), id))!, 'send')
    return { store, attempt: anAttempt(message!) }
  }
  const statusOf = async (id: string) => (await service.call('GET', `emails/${id}`)).body.data.status as string
  const suppress = (email: string) => service.call('POST', 'suppressions', { email, reason: 'MANUAL' })

  const isSuppressed = (to: string) =>
    eventually('the suppression is stored', async () => {
      const rows = await sql(em(), 'select from suppressions where email = $1 and workspace_id = $2::uuid', [
        to,
        service.workspaceId,
      ])
      return rows.length > 0 || undefined
    })
  const recordSent = (store: MessageStore, attempt: Attempt, to: string) =>
    store.record(
      attempt,
      { status: 'SENT', response: '250 OK' },
      {
        ...{ messageId: '<x@example.com>', recipient: to, subject: 'Receipt' },
        ...{ html: null, text: 'Thank you' },
      },
    )

  const RECIPIENTS: Record<string, () => Promise<string>> = {
    'a contact': async () => addressOf(service, await aContact(service)),
    'an address without a contact': () => Promise.resolve(`nobody-${Math.random()}@example.com`),
  }
  for (const [whom, address] of Object.entries(RECIPIENTS)) {
    it(`does not claim an email to ${whom} that was suppressed after it was prepared`, async () => {
      const to = await address()
      const { store, attempt } = await prepare(await anEmail(to))
      assert.equal((await suppress(to)).status, 201)
      assert.equal(await store.claim(attempt, SENDING), false)
    })

    it(`waits for a claim of an email to ${whom} before a suppression is answered`, async () => {
      const to = await address()
      const id = await anEmail(to)
      const { store, attempt } = await prepare(id)
      // The claim has read that the address is not suppressed, and is about to write.
      const release = await lockWith(em(), 'select from messages where id = $1::uuid for update', [id])
      const claiming = store.claim(attempt, SENDING)
      await lockWaits(em())
      let isAnswered = false
      const suppressing = suppress(to).then((answer) => {
        isAnswered = true
        return answer
      })
      await lockWaits(em(), 2)
      await release()
      assert.equal(await claiming, true)
      assert.equal(isAnswered, false)
      // The suppression waits until the email in flight has an outcome.
      await isSuppressed(to)
      assert.equal(isAnswered, false)
      await recordSent(store, attempt, to)
      assert.equal((await suppressing).status, 201)
      assert.equal(await statusOf(id), 'SENT')
    })
  }

  it('does not claim an email that was cancelled after it was prepared', async () => {
    const id = await anEmail('cancelled@example.com')
    const { store, attempt } = await prepare(id)
    assert.equal((await service.call('POST', `emails/${id}/cancel`)).status, 200)
    assert.equal(await store.claim(attempt, SENDING), false)
  })

  it('is cancelled for each of two concurrent requests', async () => {
    const id = await anEmail('twice@example.com')
    const release = await lockWith(em(), 'select from messages where id = $1::uuid for update', [id])
    const cancelling = [1, 2].map(() => service.call('POST', `emails/${id}/cancel`))
    await lockWaits(em(), 2)
    await release()
    const cancelled = await Promise.all(cancelling)
    assert.deepEqual(
      cancelled.map(({ status }) => status),
      [200, 200],
    )
  })

  it('does not claim an email whose contact was erased after it was prepared', async () => {
    const contactId = await aContact(service)
    const { store, attempt } = await prepare(await anEmail(await addressOf(service, contactId)))
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    assert.equal(await store.claim(attempt, SENDING), false)
  })

  it('waits for an email in flight that was accepted before the contact existed, when the contact is erased', async () => {
    const to = 'before@example.com'
    const id = await anEmail(to)
    const { store, attempt } = await prepare(id)
    const contactId = await aContact(service, { email: to })
    assert.ok(await store.claim(attempt, SENDING))
    let isAnswered = false
    const erasing = service.call('DELETE', `contacts/${contactId}`).then((answer) => {
      isAnswered = true
      return answer
    })
    await eventually('the contact is erased', async () =>
      (await sql(em(), 'select from contacts where id = $1::uuid', [contactId])).length === 0 ? true : undefined,
    )
    assert.equal(isAnswered, false)
    await recordSent(store, attempt, to)
    assert.equal((await erasing).status, 200)
    assert.deepEqual(await sql(em(), 'select from messages where id = $1::uuid', [id]), [])
  })

  it('does not claim an email that was accepted before the contact existed, when the contact was erased', async () => {
    const to = 'earlier@example.com'
    const { store, attempt } = await prepare(await anEmail(to))
    const contactId = await aContact(service, { email: to })
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    assert.equal(await store.claim(attempt, SENDING), false)
  })

  it('waits for an email in flight when an import suppresses its address', async () => {
    const to = 'imported@example.com'
    const { store, attempt } = await prepare(await anEmail(to))
    assert.ok(await store.claim(attempt, SENDING))
    const bounced = { name: 'x.csv', text: `email\n${to}\n`, consent: 'BOUNCED' }
    const { body } = await service.call('POST', 'imports', bounced)
    const importId = body.data.id as string
    await startImport(em(), service.workspaceId, importId)
    let isAnswered = false
    const importing = advanceImport({ em: em() }, service.workspaceId, importId, newCall()).then(() => {
      isAnswered = true
    })
    await isSuppressed(to)
    assert.equal(isAnswered, false)
    await recordSent(store, attempt, to)
    await importing
  })

  it('lets only one of two attempts succeed', async () => {
    const id = await anEmail('once@example.com')
    const [first, second] = [await prepare(id), await prepare(id)]
    const claimed = await Promise.all([
      first.store.claim(first.attempt, SENDING),
      second.store.claim(second.attempt, SENDING),
    ])
    assert.equal(claimed.filter(Boolean).length, 1)
  })

  it('is not cancelled while it is in flight', async () => {
    const id = await anEmail('in-flight@example.com')
    const { store, attempt } = await prepare(id)
    assert.ok(await store.claim(attempt, SENDING))
    assert.equal((await service.call('POST', `emails/${id}/cancel`)).refused, '409 email_not_cancellable')
  })

  it('is UNCONFIRMED if it was due before a restore, after which it may have been sent', async () => {
    const id = await anEmail('restored@example.com')
    const { store } = await prepare(id)
    const accepted = `update emails set scheduled_at = null, created_at = now() - interval '1 hour' where id = $1::uuid`
    await sql(em(), accepted, [id])
    // It was deferred in the meantime.
    await sql(em(), `update messages set due_at = now() + interval '1 minute' where id = $1::uuid`, [id])
    await sql(em(), `update instance set lost_until = now() - interval '10 minutes'`)
    const { dependencies } = service.context
    const sender = { ...dependencies, store, mailFrom: SENDER } as never
    const result = await sendEmail(sender, id, new AbortController().signal).finally(() =>
      sql(em(), 'update instance set lost_until = null'),
    )
    assert.equal(result.kind === 'final' && result.status, 'UNCONFIRMED')
    assert.equal(await statusOf(id), 'UNCONFIRMED')
  })

  it('is UNCONFIRMED and not sent again if its sender died', async () => {
    const id = await anEmail('died@example.com')
    const { store, attempt } = await prepare(id)
    assert.ok(await store.claim(attempt, SENDING))
    await sql(em(), `update messages set lease_until = now() - interval '1 second' where id = $1::uuid`, [id])
    await expireLeases(em(), { error: 'The sender died', graceSeconds: 0, limit: 100 })
    const email = (await service.call('GET', `emails/${id}`)).body.data as {
      status: string
      events: { type: string }[]
    }
    assert.deepEqual([email.status, email.events.at(-1)!.type], ['UNCONFIRMED', 'unconfirmed'])
    const retry = await service.call('POST', `messages/${id}/retry`, { evenIfSent: true })
    assert.match(retry.body.error, /^A transactional email is not retried/)
    assert.equal((await service.call('POST', `messages/${id}/dismiss`)).status, 200)
  })
})
