import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, addressOf } from '../support/factories.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('a message that waits', () => {
  it('is listed with its recipient and the subject as written, in its workspace only', async () => {
    const [service, other] = [await openWorkspace({ worker: false }), await openWorkspace({ worker: false })]
    const contactId = await aContact(service)
    const campaign = { name: 'News', subject: 'News for {{ contact.firstName }}', text: 'Hi' }
    const campaignId = (await service.call('POST', 'campaigns', campaign)).body.data.id as string
    await sql(
      service.context.orm.em.fork(),
      `insert into messages (id, workspace_id, contact_id, campaign_id, status, claim, due_at)
       values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, 'QUEUED', $1::uuid, now() + interval '1 hour')`,
      [newId(), service.workspaceId, contactId, campaignId],
    )
    const { data } = (await service.call('GET', 'messages?status=QUEUED')).body
    assert.deepEqual(
      (data as { to: string; subject: string }[]).map(({ to, subject }) => [to, subject]),
      [[await addressOf(service, contactId), campaign.subject]],
    )
    assert.deepEqual((await other.call('GET', 'messages?status=QUEUED')).body.data, [])
  })
})
