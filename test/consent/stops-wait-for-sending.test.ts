import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

describe('the response to a request that stops sending', function () {
  this.timeout(180_000)
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())
  const em = () => service.context.orm.em.fork()

  /** A campaign with one email in flight, whose worker is alive. */
  async function underWay() {
    const listId = await aList(service)
    const contactId = await aContact(service, { listId })
    const campaign = { name: 'News', subject: 'News', html: '<p>x</p>', audience: { listIds: [listId] } }
    const campaignId = (await service.call('POST', 'campaigns', campaign)).body.data.id as string
    await service.call('POST', `campaigns/${campaignId}/schedule`, {})
    await eventually('the campaign is sent', async () =>
      (await service.call('GET', `campaigns/${campaignId}`)).body.data.status === 'SENT' ? true : undefined,
    )
    await sql(em(), `update campaigns set status = 'SENDING', finished_at = null where id = $1::uuid`, [campaignId])
    const settle = (status: 'SENDING' | 'CAPTURED') =>
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

  const ways = {
    'suppressing an address': async ({ email }: { email: string }, headers: Record<string, string>) =>
      service.call('POST', 'suppressions', { email }, { headers }),
    'pausing a campaign': async ({ campaignId }: { campaignId: string }, headers: Record<string, string>) =>
      service.call('POST', `campaigns/${campaignId}/pause`, undefined, { headers }),
    'cancelling a campaign': async ({ campaignId }: { campaignId: string }, headers: Record<string, string>) =>
      service.call('POST', `campaigns/${campaignId}/cancel`, undefined, { headers }),
  }
  for (const [name, say] of Object.entries(ways)) {
    it(`waits for an email in flight after ${name}, even when the request is repeated`, async () => {
      const of = await underWay()
      const headers = { 'Idempotency-Key': `said-${of.campaignId}` }
      let answered = false
      const first = say(of, headers).finally(() => (answered = true))
      await eventually('the response is stored', async () => {
        const kept = `select from idempotency_keys where key = $1 and status is not null`
        return (await sql(em(), kept, [headers['Idempotency-Key']])).length > 0 ? true : undefined
      })
      const { refused } = await say(of, headers)
      assert.deepEqual({ refused, answered }, { refused: '409 idempotency_key_in_progress', answered: false })
      await of.settle('CAPTURED')
      const { status } = await first
      assert.ok(status < 300, String(status))
      assert.equal((await say(of, headers)).status, status)
    })
  }
})
