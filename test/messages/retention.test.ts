import assert from 'node:assert/strict'
import { deleteOldEmailContent } from '../../src/emails/index.ts'
import { deleteOldContent } from '../../src/messages/index.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createWorkspace, updateWorkspace } from '../../src/workspaces/create-workspace.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { assertCountersMatch, recount } from '../support/stats.ts'

describe('the content of old emails', () => {
  let service: Service
  let otherId: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    otherId = (await createWorkspace(service.context.orm.em, { name: 'Other', mode: 'live' })).id
  })
  after(() => recount(em()))

  const em = () => service.context.orm.em.fork()

  interface Stored {
    status: string
    /** Days since it became final. */
    age: number
    workspaceId?: string
    retry?: boolean
  }

  /** Stores a transactional email and its message. */
  async function store({ status, age, workspaceId = service.workspaceId, retry = false }: Stored): Promise<string> {
    const id = newId()
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, status, claim, due_at, subject, html, text, created_at, sent_at, final_at, retry_at,
         lease_until)
       select $1::uuid, $2::uuid, gen_random_uuid(), $3, gen_random_uuid(), at, 'Receipt', '<p>Body</p>', 'Body', at,
         case when $3 = 'SENT' then at end, case when $3 <> 'SENDING' then at end, case when $5 then now() end,
         case when $3 = 'SENDING' then now() + interval '1 minute' end
       from (select now() - make_interval(days => $4::integer) as at) given`,
      [id, workspaceId, status, age, retry],
    )
    await sql(
      em(),
      `insert into emails (id, workspace_id, contact_id, recipient, subject, html, text, data, headers, tags, attachments, created_at)
       values ($1::uuid, $2::uuid, gen_random_uuid(), 'ada@example.com', 'Receipt', '<p>{{ data.total }}</p>', null, '{"total": 5}', '{}',
         '{}', '[]', now() - make_interval(days => $3::integer))`,
      [id, workspaceId, age],
    )
    return id
  }

  const read = async (id: string) => {
    const query = `select message.html, message.text, message.subject, email.html as template, email.data
      from messages message join emails email on email.id = message.id where message.id = $1::uuid`
    return (await sql<Record<string, unknown>>(em(), query, [id]))[0]!
  }
  const hasContent = async (id: string) => (await read(id))['html'] !== null
  const hasTemplate = async (id: string) => (await read(id))['template'] !== null

  it('is deleted after the days of their workspace, page by page, and the rest of the email stays', async () => {
    await sql(em(), 'update workspaces set content_retention_days = 60 where id = $1::uuid', [otherId])
    const old = await Promise.all([31, 40, 45, 70, 400].map((age) => store({ status: 'SENT', age })))
    for (const status of ['FAILED', 'CAPTURED', 'SUPPRESSED', 'DISMISSED']) old.push(await store({ status, age: 40 }))
    const unconfirmed = await store({ status: 'UNCONFIRMED', age: 40 })
    const kept = await Promise.all([
      store({ status: 'SENT', age: 29 }),
      store({ status: 'SENDING', age: 40 }),
      store({ status: 'SENT', age: 59, workspaceId: otherId }),
    ])
    const retried = await store({ status: 'FAILED', age: 40, retry: true })
    const oldOfOther = await store({ status: 'SENT', age: 61, workspaceId: otherId })
    await recount(em())
    while ((await deleteOldContent(em(), 2)) === 2);
    while ((await deleteOldEmailContent(em(), 2)) === 2);
    for (const id of [...old, oldOfOther])
      assert.deepEqual(await read(id), { html: null, text: null, subject: 'Receipt', template: null, data: null })
    const left = [await hasContent(unconfirmed), await hasTemplate(unconfirmed)]
    assert.deepEqual(left, [false, true], 'an operator may send it again')
    for (const id of kept) assert.deepEqual([await hasContent(id), await hasTemplate(id)], [true, true])
    assert.equal(await hasContent(retried), true, 'it is about to get another one')
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('is kept for as long as an owner chose', async () => {
    const id = await store({ status: 'SENT', age: 20 })
    await deleteOldContent(em(), 100)
    assert.equal(await hasContent(id), true)
    await updateWorkspace(em(), service.workspaceId, { contentRetentionDays: 14 })
    await deleteOldContent(em(), 100)
    assert.equal(await hasContent(id), false)
  })
})
