import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aCampaign, campaignIs } from '../support/campaigns.ts'
import { aContact, addressOf, aList } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { withWaits } from '../support/waits.ts'

describe('the response to a request that stops sending', () => {
  // The test must be done before the limit, also on a busy machine.
  withWaits({ stop: 30_000 })
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })
  const em = () => service.context.orm.em.fork()

  /** A campaign with one email in flight, whose worker is alive. */
  async function underWay() {
    const listId = await aList(service)
    const contactId = await aContact(service, { listId })
    const campaignId = await aCampaign(service, [listId])
    await campaignIs(service, campaignId, 'SENT')
    await sql(em(), `update campaigns set status = 'SENDING', finished_at = null where id = $1::uuid`, [campaignId])
    const settle = (status: 'SENDING' | 'SENT') =>
      sql(
        em(),
        `update messages set status = $2, claim = gen_random_uuid(),
           lease_until = case when $2 = 'SENDING' then now() + interval '1 minute' end
         where campaign_id = $1::uuid`,
        [campaignId, status],
      )
    await settle('SENDING')
    return { campaignId, email: await addressOf(service, contactId), settle }
  }

  type InFlight = Awaited<ReturnType<typeof underWay>>
  const ways: Record<string, (of: InFlight) => [path: string, body?: object]> = {
    'suppressing an address': ({ email }) => ['suppressions', { email }],
    'pausing a campaign': ({ campaignId }) => [`campaigns/${campaignId}/pause`],
    'cancelling a campaign': ({ campaignId }) => [`campaigns/${campaignId}/cancel`],
  }
  for (const [name, requestOf] of Object.entries(ways)) {
    it(`waits for an email in flight after ${name}, even when the request is repeated`, async () => {
      const of = await underWay()
      const headers = { 'Idempotency-Key': `said-${of.campaignId}` }
      const ask = () => {
        const [path, body] = requestOf(of)
        return service.call('POST', path, body, { headers })
      }
      let answered = false
      const first = ask().finally(() => (answered = true))
      await eventually('the response is stored', async () => {
        const kept = `select from idempotency_keys where key = $1 and status is not null`
        return (await sql(em(), kept, [headers['Idempotency-Key']])).length > 0 ? true : undefined
      })
      const { refused } = await ask()
      assert.deepEqual({ refused, answered }, { refused: '409 idempotency_key_in_progress', answered: false })
      await of.settle('SENT')
      const { status } = await first
      assert.ok(status < 300, String(status))
      assert.equal((await ask()).status, status)
    })
  }
})
