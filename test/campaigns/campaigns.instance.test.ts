import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { resendMessage } from '../../src/messages/unconfirmed-messages.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { enableSending, markRestored } from '../../src/relay/restored.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { aCampaign, campaignIs, readCampaign } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList } from '../support/factories.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import type { Instance } from '../support/instance.ts'
import { someLinks } from '../support/links.ts'
import { quietLog } from '../support/log.ts'
import { SENDER } from '../support/npm-start.ts'
import { REAL_PAGE_SIZES, withPageSizes } from '../support/page-sizes.ts'

const FEW = 50
const RECIPIENTS = 700
/** Maximum number of reads of a message, for everything that is done with it. */
const MAX_READS = 30
const SESSIONS = 30

// The statistics of Postgres are those of a database, and a restore is one of an instance.
describe('campaigns of an instance', () => {
  let service: Instance
  let sink: SmtpSink
  // This suite measures the cost, which depends on the page size.
  withPageSizes(REAL_PAGE_SIZES)
  useInstanceAndSink((started) => ({ service, sink } = started))
  const em = () => service.context.orm.em.fork()
  /** Creates a campaign that is scheduled in an hour. */
  async function scheduled(recipients: number) {
    const listId = await aList(service)
    for (let n = 0; n < recipients; n += 1) await aContact(service, { listId })
    const campaign = { name: 'News', subject: 'News', text: 'Hello', audience: { listIds: [listId] } }
    const { id } = (await service.call('POST', 'campaigns', campaign)).body.data as { id: string }
    const at = new Date(Date.now() + 3_600_000).toISOString()
    assert.equal((await service.call('POST', `campaigns/${id}/schedule`, { at })).status, 202)
    return id
  }

  it('read each of their messages by ID, without scanning all of them', async () => {
    const listId = await aList(service)
    const contacts = Array.from({ length: RECIPIENTS }, (_, n) => ({ email: `reader-${n}@example.com` }))
    await service.call('POST', 'contacts/bulk', { contacts, triggers: false })
    const send = async (count: number) => {
      const put = `insert into list_members (list_id, contact_id)
        select $1::uuid, id from contacts where email like 'reader-%' limit $2::integer on conflict do nothing`
      await sql(em(), put, [listId, count])
      await campaignIs(service, await aCampaign(service, [listId]), 'SENT')
    }
    /** Number of rows that were read without an index, and of entries of the index of open messages, for this many changes. */
    const readsAfter = (changes: number) =>
      eventually('Postgres reports its statistics', async () => {
        // Each session of the pool reports its own. Without a request, it does so after ten seconds.
        const flush = 'select pg_stat_force_next_flush(), pg_sleep(0.1)'
        await Promise.all(Array.from({ length: SESSIONS }, () => sql(em(), flush)))
        const [counters] = await sql<{ updated: number; rows: number; open: number }>(
          em(),
          `select n_tup_upd::float8 as updated, seq_tup_read::float8 as rows, (
             select idx_tup_read::float8 from pg_stat_user_indexes where indexrelname = 'messages_open'
           ) as open
           from pg_stat_user_tables where relname = 'messages'`,
        )
        return counters && counters.updated >= changes ? counters : undefined
      })
    const mailed = () => sink.mails.filter(({ to }) => to[0]!.startsWith('reader-')).length
    // Postgres's plans are from a time when there were few rows.
    await send(FEW)
    const before = await readsAfter(2 * FEW)
    await send(RECIPIENTS)
    assert.equal(mailed(), FEW + RECIPIENTS)
    const after = await readsAfter(before.updated + 2 * RECIPIENTS)
    for (const which of ['rows', 'open'] as const) {
      const reads = after[which] - before[which]
      assert.ok(reads <= MAX_READS * RECIPIENTS, `${reads} of ${which} were read for ${RECIPIENTS} emails`)
    }
  })

  it('become PAUSED after a restore if they were scheduled, because they may have been sent after the backup', async () => {
    const id = await scheduled(1)
    await markRestored(em())
    assert.equal((await readCampaign(service, id)).status, 'PAUSED')
    await enableSending(em(), null)
    await sql(em(), 'update instance set lost_until = null')
    assert.equal((await service.call('POST', `campaigns/${id}/resume`)).body.data.status, 'SCHEDULED')
    await service.call('POST', `campaigns/${id}/cancel`)
  })

  it('are not sent again by a restored instance if they had begun before the loss', async () => {
    const id = await scheduled(2)
    // The backup has it SCHEDULED; its time had come before the loss.
    await sql(em(), `update instance set lost_until = now() + interval '1 second'`)
    await sql(em(), 'update campaigns set scheduled_at = now() where id = $1', [id])
    await service.context.dependencies.enrollments.campaign(service.workspaceId, id)
    try {
      const { stats } = await campaignIs(service, id, 'SENT')
      assert.deepEqual([stats['unconfirmed'], stats['sent']], [2, 0])
    } finally {
      await sql(em(), 'update instance set lost_until = null')
    }
    // An operator who knows that an email has not arrived can retry it.
    const [first] = (await service.call('GET', `messages?campaignId=${id}`)).body.data as {
      id: string
      contactId: string
    }[]
    const { config, orm } = service.context
    const mail = createMail(config, orm.em, { mailFrom: SENDER, links: someLinks })
    try {
      const resent = await resendMessage({ ...mail, em: em(), metrics: noMetrics, log: quietLog }, first!.id)
      assert.equal(resent.status, 'SENT')
      const address = await addressOf(service, first!.contactId)
      assert.equal(sink.mails.filter(({ to }) => to[0] === address).length, 1)
    } finally {
      await mail.smtp?.close()
      await mail.renderer.close()
    }
  })
})
