import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { deleteOldHistory } from '../../src/relay/delete-old-history.ts'
import { readGrowth } from '../../src/stats/growth-queries.ts'
import { recountCounters } from '../../src/stats/index.ts'
import { createWorkspace, updateWorkspace } from '../../src/workspaces/create-workspace.ts'
import { aContact, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { assertCountersMatch, recount } from '../support/stats.ts'

/** Numbers of rows of a workspace. */
const ROWS = `
select (select count(*) from messages where workspace_id = $1::uuid)::integer as messages,
  (select count(*) from emails where workspace_id = $1::uuid)::integer as emails,
  (select count(*) from step_runs where workspace_id = $1::uuid)::integer as runs,
  (select count(*) from message_visits visit join messages on messages.id = visit.message_id where workspace_id = $1::uuid)::integer as visits,
  (select count(*) from enrollments where workspace_id = $1::uuid)::integer as enrollments`

describe('the history of a workspace', () => {
  let service: Service
  let otherId: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    otherId = (await createWorkspace(service.context.orm.em, { name: 'Other', mode: 'live' })).id
  })
  after(() => recount(em()))

  const em = () => service.context.orm.em.fork()
  const rows = async (workspaceId: string) => (await sql<Record<string, number>>(em(), ROWS, [workspaceId]))[0]!

  /** Stores transactional emails that were sent some days ago, each opened and clicked. */
  async function storeEmails(workspaceId: string, ages: readonly number[], status = 'SENT'): Promise<void> {
    for (const age of ages) {
      const id = newId()
      await sql(
        em(),
        `insert into messages (id, workspace_id, contact_id, status, claim, due_at, recipient, subject, created_at, sent_at, final_at,
           opened_at, clicked_at)
         select $1::uuid, $2::uuid, gen_random_uuid(), $3, gen_random_uuid(), at, 'ada@example.com', 'Receipt', at, at, at, at, at
         from (select now() - make_interval(days => $4::integer) as at) given`,
        [id, workspaceId, status, age],
      )
      await sql(
        em(),
        `insert into emails (id, workspace_id, contact_id, recipient, subject, headers, tags, attachments, created_at)
         select id, workspace_id, contact_id, recipient, subject, '{}', '{}', '[]', created_at from messages where id = $1::uuid`,
        [id],
      )
      await sql(
        em(),
        `insert into message_visits (message_id, kind, url, links, at, visitor)
         values ($1::uuid, 'CLICK', 'https://example.com', 1, now(), 'PERSON')`,
        [id],
      )
    }
  }

  /** Stores a message, sent 50 days ago, of a campaign in a status, with a bounce. */
  async function storeCampaign(status: string): Promise<string> {
    const { body } = await service.call('POST', 'campaigns', {
      ...{ name: status, subject: 'News', text: 'News', audience: { listIds: [await aList(service)] } },
    })
    const { id } = body.data as { id: string }
    await sql(em(), 'update campaigns set status = $2, started_at = now() where id = $1::uuid', [id, status])
    const messageId = newId()
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, campaign_id, status, claim, due_at, recipient, created_at, sent_at, final_at,
         results)
       select $1::uuid, $2::uuid, gen_random_uuid(), $3::uuid, 'SENT', gen_random_uuid(), at, 'ada@example.com', at, at, at,
         '{HARD_BOUNCED}'
       from (select now() - interval '50 days' as at) given`,
      [messageId, service.workspaceId, id],
    )
    return messageId
  }
  const isStored = async (id: string) => (await sql(em(), 'select from messages where id = $1::uuid', [id])).length > 0

  /** Stores enrollments of some statuses that began 50 days ago, each with an email that was sent and a step that ran. */
  async function storeEnrollments(statuses: readonly string[]): Promise<void> {
    const automationId = await anAutomation(service, {
      steps: [{ type: 'CONDITION', branches: [{ name: 'Trial', if: { tag: 'trial' }, steps: [EMAIL] }] }, EMAIL],
    })
    const { body } = await service.call('GET', `automations/${automationId}`)
    const [condition, email] = (body.data as { steps: { id: string }[] }).steps
    for (const status of statuses) {
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      const [row] = await sql<{ id: string }>(
        em(),
        `update enrollments set status = $3, ended_at = case when $3 <> 'ACTIVE' then now() - interval '50 days' end,
           next_step_id = null, wakes_at = case when $3 = 'ACTIVE' then now() - interval '50 days' end
         where automation_id = $1::uuid and contact_id = $2::uuid returning id`,
        [automationId, contactId, status],
      )
      await sql(
        em(),
        `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim, recipient,
           created_at, sent_at, final_at)
         select gen_random_uuid(), workspace_id, contact_id, automation_id, id, $2::uuid, 'SENT', gen_random_uuid(),
           'ada@example.com', at, at, at
         from enrollments, (select now() - interval '50 days' as at) given where id = $1::uuid`,
        [row!.id, email!.id],
      )
      await sql(
        em(),
        `insert into step_runs (enrollment_id, step_id, workspace_id, automation_id, contact_id, version, type, started_at, finished_at,
           result)
         select id, $2::uuid, workspace_id, automation_id, contact_id, version, 'CONDITION', at, at,
           '{"next": "continue", "branch": "else"}'
         from enrollments, (select now() - interval '50 days' as at) given where id = $1::uuid`,
        [row!.id, condition!.id],
      )
    }
  }

  it('stays as long as it keeps a campaign or a retry from sending twice', async () => {
    const open = await Promise.all(['SENDING', 'PAUSED'].map(storeCampaign))
    const over = await Promise.all(['SENT', 'CANCELLED'].map(storeCampaign))
    const retried = await storeCampaign('SENT')
    await sql(em(), `update messages set status = 'FAILED', retry_at = now() where id = $1::uuid`, [retried])
    await recount(em())
    await updateWorkspace(em(), service.workspaceId, { historyRetentionDays: 40 })
    while (await deleteOldHistory(em(), 2));
    assert.deepEqual(await Promise.all([...open, retried].map(isStored)), [true, true, true])
    assert.deepEqual(await Promise.all(over.map(isStored)), [false, false])
    await assertCountersMatch(em(), service.workspaceId)
    await sql(em(), 'delete from messages where id = any($1::uuid[])', [[...open, retried]])
    await sql(em(), `update campaigns set status = 'SENT' where workspace_id = $1::uuid`, [service.workspaceId])
    await sql(em(), 'delete from archived_counts')
    await updateWorkspace(em(), service.workspaceId, { historyRetentionDays: null })
    await recount(em())
  })

  it('is kept by default, and otherwise deleted after its days, with every counter as it was', async () => {
    await storeEmails(service.workspaceId, [29, 41, 42, 43, 60, 400])
    await storeEmails(service.workspaceId, [50], 'UNCONFIRMED')
    await storeEmails(otherId, [41, 500])
    await storeEnrollments(['ACTIVE', 'COMPLETED'])
    await recount(em())
    const growth = await readGrowth(em(), service.workspaceId)
    assert.deepEqual([growth.messages, growth.recentMessages], [9, 1])
    while (await deleteOldHistory(em(), 2));
    const all = { messages: 9, emails: 7, runs: 2, visits: 7, enrollments: 2 }
    assert.deepEqual(await rows(service.workspaceId), all)

    await updateWorkspace(em(), service.workspaceId, { historyRetentionDays: 40 })
    const numbers = async () => (await service.call('GET', 'stats')).body.data as object
    const before = await numbers()
    while (await deleteOldHistory(em(), 2));
    // The email of 29 days, the one that needs a decision, and the active enrollment's.
    const left = { messages: 3, emails: 2, runs: 1, visits: 2, enrollments: 2 }
    assert.deepEqual(await rows(service.workspaceId), left)
    assert.deepEqual((await rows(otherId))['messages'], 2)
    assert.deepEqual(await numbers(), before)
    await assertCountersMatch(em(), service.workspaceId)
    assert.equal((await readGrowth(em(), service.workspaceId)).messages, 3)

    // A domain or a link may identify a contact who is erased later.
    const kept = `select from archived_counts where workspace_id = $1::uuid and counts::text like '%example%'`
    assert.equal((await sql(em(), kept, [service.workspaceId])).length, 0)

    // Counting again, as after a restore, adds what was deleted.
    await em().transactional((unit) => recountCounters(unit))
    assert.deepEqual(await numbers(), before)
    await assertCountersMatch(em(), service.workspaceId)
  })
})
