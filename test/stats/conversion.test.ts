import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, EMAIL, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** An enrollment of the fixture: on which version, how many days ago, and after how many days it reached the goal, if so. */
interface Past {
  version: number
  daysAgo: number
  goalAfter?: number
}

// With a window of 14 days. 5 enrollments are too young to count; one reached the goal too late.
const PAST: readonly Past[] = [
  { version: 1, daysAgo: 60, goalAfter: 2.5 },
  { version: 1, daysAgo: 60, goalAfter: 13.5 },
  { version: 1, daysAgo: 59, goalAfter: 20 },
  { version: 1, daysAgo: 58 },
  { version: 2, daysAgo: 30, goalAfter: 2.9 },
  { version: 2, daysAgo: 15 },
  { version: 2, daysAgo: 13, goalAfter: 1 },
  { version: 2, daysAgo: 2 },
  { version: 2, daysAgo: 1 },
  { version: 2, daysAgo: 1, goalAfter: 0.5 },
  { version: 2, daysAgo: 0.5 },
]

describe('the conversion of an automation', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })
  const em = () => service.context.orm.em.fork()

  async function anAutomationWithPast(of: Service, past: readonly Past[]): Promise<string> {
    const goal = { eventName: 'subscribed' }
    const id = await anAutomation(of, { goal, steps: [EMAIL, wait(60)] })
    const etag = (await of.call('GET', `automations/${id}`)).headers.get('etag')!
    await of.call('PUT', `automations/${id}/steps`, { steps: [EMAIL] }, { headers: { 'If-Match': etag } })
    for (const { version, daysAgo, goalAfter } of past) {
      const hasGoal = goalAfter !== undefined
      await sql(
        em(),
        `insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, ended_at, ended_by, wakes_at)
         select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::integer, $6, at, at + make_interval(secs => $8::float8 * 86400),
           $9::jsonb, case when $6 = 'ACTIVE' then now() end
         from (select now() - make_interval(secs => $7::float8 * 86400) as at) began`,
        [
          ...[newId(), of.workspaceId, id, await aContact(of), version],
          ...[hasGoal ? 'GOAL_REACHED' : 'ACTIVE', daysAgo, goalAfter ?? null, hasGoal ? JSON.stringify(goal) : null],
        ],
      )
    }
    return id
  }

  it('counts enrollments that are older than the window, by version and day', async () => {
    const id = await anAutomationWithPast(service, PAST)
    const other = await openWorkspace({ worker: false })
    await anAutomationWithPast(other, PAST)
    const { status, body } = await service.call('GET', `automations/${id}/conversion?windowDays=14`)
    assert.equal(status, 200)
    const { enrolled, counted, reached, days, versions, weeks, medianMinutes } = body.data
    assert.deepEqual({ enrolled, counted, reached }, { enrolled: 11, counted: 6, reached: 3 })
    assert.deepEqual(
      (versions as Record<string, number>[]).map((each) => [
        each['version'],
        each['enrolled'],
        each['counted'],
        each['reached'],
      ]),
      [
        [2, 7, 2, 1],
        [1, 4, 4, 2],
      ],
    )
    // 2.5, 2.9 and 13.5 days.
    assert.deepEqual(days, [
      { day: 3, reached: 2 },
      { day: 14, reached: 1 },
    ])
    assert.equal(Math.round(medianMinutes as number), 2.9 * 1_440)
    const sums = (weeks as Record<string, number>[]).reduce(
      (sum, each) =>
        sum.map(
          (total, n) => total + [each['enrolled']!, each['counted']!, each['reached']!, each['reachedSoFar']!][n]!,
        ),
      [0, 0, 0, 0],
    )
    assert.deepEqual(sums, [11, 6, 3, 5])
    for (const { week } of weeks as { week: string }[]) assert.equal(new Date(`${week}T00:00:00Z`).getUTCDay(), 1)
  })

  it('names who published each version', async () => {
    const owner = await aMember(service)
    const id = await anAutomation(service, { steps: [wait(60)] })
    const published = { steps: [EMAIL], status: 'ACTIVE' }
    const etag = (await service.call('GET', `automations/${id}`)).headers.get('etag')!
    const { status } = await owner.browser.ask('POST', `automations/${id}/publish`, {
      workspaceId: service.workspaceId,
      body: published,
      headers: { 'If-Match': etag },
    })
    assert.equal(status, 200)
    for (const version of [1, 2])
      await sql(
        em(),
        `insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, ended_at)
         values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::integer, 'COMPLETED', now(), now())`,
        [newId(), service.workspaceId, id, await aContact(service), version],
      )
    const path = `automations/${id}/conversion`
    const namesIn = (data: unknown) =>
      (data as { versions: { publishedBy: string | null }[] }).versions.map(({ publishedBy }) => publishedBy)
    const names = async () =>
      namesIn((await owner.browser.ask('GET', path, { workspaceId: service.workspaceId })).body?.data)
    const [second, first] = await names()
    assert.equal(second, owner.email)
    assert.ok(first)
    // An API key does not learn the addresses of members.
    assert.deepEqual(namesIn((await service.call('GET', path)).body.data), [null, null])
    await sql(em(), `delete from audit_entries where workspace_id = $1::uuid`, [service.workspaceId])
    assert.deepEqual(await names(), [null, null])
  })

  it('counts the branch that each enrollment took', async () => {
    const split = { type: 'SPLIT', branches: ['A', 'B'].map((name) => ({ name, weight: 50, steps: [] })) }
    const other = await openWorkspace({ worker: false })
    const ids: string[] = []
    for (const owner of [service, other]) {
      const id = await anAutomation(owner, { goal: { eventName: 'subscribed' }, steps: [split, EMAIL] })
      const { steps } = (await owner.call('GET', `automations/${id}`)).body.data as { steps: { id: string }[] }
      ids.push(id, steps[0]!.id)
      // Two counted of A, of which one reached the goal; one of B, and one that is too young; one that did not get that far.
      for (const [taken, daysAgo, goalAfter] of [
        ['0', 20, 2],
        ['0', 20, null],
        ['1', 20, 3],
        ['1', 2, 1],
        [null, 20, 1],
      ] as const)
        await sql(
          em(),
          `with enrollment as (
             insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, ended_at, ended_by)
             select $1::uuid, $2::uuid, $3::uuid, $4::uuid, 1, $5, at, at + make_interval(days => $7::integer),
               case when $5 = 'GOAL_REACHED' then '{"eventName":"subscribed"}'::jsonb end
             from (select now() - make_interval(days => $6::integer) as at) began returning *
           )
           insert into step_runs (enrollment_id, step_id, workspace_id, automation_id, contact_id, version, type, finished_at, result)
           select id, $8::uuid, workspace_id, automation_id, contact_id, version, 'SPLIT', enrolled_at,
             jsonb_strip_nulls(jsonb_build_object('next', 'continue', 'branch', $9::text))
           from enrollment`,
          [
            ...[
              newId(),
              owner.workspaceId,
              id,
              await aContact(owner),
              goalAfter === null ? 'COMPLETED' : 'GOAL_REACHED',
            ],
            ...[daysAgo, goalAfter ?? 1, steps[0]!.id, taken],
          ],
        )
    }
    const { body } = await service.call('GET', `automations/${ids[0]}/conversion?windowDays=14`)
    assert.deepEqual(body.data.branches, [
      { stepId: ids[1], branch: '0', enrolled: 2, counted: 2, reached: 1 },
      { stepId: ids[1], branch: '1', enrolled: 2, counted: 1, reached: 1 },
    ])
  })

  it('is empty without enrollments, and refuses a window that is not a number of days', async () => {
    const id = await anAutomation(service)
    const { body } = await service.call('GET', `automations/${id}/conversion`)
    assert.deepEqual(body.data, {
      ...{ windowDays: 14, enrolled: 0, counted: 0, reached: 0, medianMinutes: null },
      ...{ weeks: [], days: [], versions: [], branches: [] },
    })
    for (const windowDays of ['0', '366', '1.5', 'x']) {
      const { refused } = await service.call('GET', `automations/${id}/conversion?windowDays=${windowDays}`)
      assert.equal(refused, '400 invalid_request')
    }
  })
})
