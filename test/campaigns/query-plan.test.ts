import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aList } from '../support/factories.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import type { Service } from '../support/service.ts'

const FEW = 100
const RECIPIENTS = 1_500
/** Maximum number of reads of a message, for everything that is done with it. */
const MAX_READS = 30

describe('the first large campaign of an instance', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  it('reads each of its messages by ID, without scanning all of them', async () => {
    const em = () => service.context.orm.em.fork()
    const listId = await aList(service)
    const contacts = Array.from({ length: RECIPIENTS }, (_, n) => ({ email: `reader-${n}@example.com` }))
    for (let from = 0; from < RECIPIENTS; from += 500)
      await service.call('POST', 'contacts/bulk', { contacts: contacts.slice(from, from + 500), triggers: false })
    const put = (most: number) =>
      sql(
        em(),
        `insert into list_members (list_id, contact_id) select $1::uuid, id from contacts limit $2::integer
         on conflict do nothing`,
        [listId, most],
      )
    const send = async () => {
      const fields = { name: 'News', subject: 'News', html: '<p>Hello</p>', audience: { listIds: [listId] } }
      const { id } = (await service.call('POST', 'campaigns', fields)).body.data as { id: string }
      assert.equal((await service.call('POST', `campaigns/${id}/schedule`, {})).status, 202)
      await eventually(
        'all recipients get their email',
        async () => (await service.call('GET', `campaigns/${id}`)).body.data.status === 'SENT' || undefined,
        240_000,
      )
    }
    /** Number of rows that were read without an index, and of entries of the index of open messages, for this many changes. */
    const readsAfter = (changes: number) =>
      // A session reports its statistics within a second, all at once.
      eventually('Postgres reports its statistics', async () => {
        const [counters] = await sql<{ updated: number; rows: number; open: number }>(
          em(),
          `select n_tup_upd::float8 as updated, seq_tup_read::float8 as rows, (
             select idx_tup_read::float8 from pg_stat_user_indexes where indexrelname = 'messages_open'
           ) as open
           from pg_stat_user_tables where relname = 'messages'`,
        )
        return counters && counters.updated >= changes ? counters : undefined
      })
    // Postgres's plans are from a time when there were few rows.
    await put(FEW)
    await send()
    const before = await readsAfter(2 * FEW)
    await put(RECIPIENTS)
    await send()
    assert.equal(sink.mails.length, FEW + RECIPIENTS)
    const after = await readsAfter(2 * (FEW + RECIPIENTS))
    for (const which of ['rows', 'open'] as const) {
      const reads = after[which] - before[which]
      assert.ok(reads <= MAX_READS * RECIPIENTS, `${reads} of ${which} were read for ${RECIPIENTS} emails`)
    }
  })
})
