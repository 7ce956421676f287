import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, sentTo, wait } from '../support/factories.ts'
import { recount } from '../support/stats.ts'

describe('the report of an automation in the dashboard', () => {
  const d = onDashboard()
  const em = () => d.service.context.orm.em.fork()
  const goal = { eventName: 'subscribed' }

  it('adds up the enrollments, and lists the contacts at a step', async () => {
    const id = await anAutomation(d.service, {
      name: 'Trial',
      goal,
      steps: [{ ...EMAIL, subject: 'First' }, wait(60), { ...EMAIL, subject: 'Second' }],
    })
    const waiting = await aContact(d.service, { email: 'waiting@example.com' })
    const subscriber = await aContact(d.service, { email: 'subscriber@example.com' })
    for (const contactId of [waiting, subscriber]) {
      await enroll(d.service, id, contactId)
      await sentTo(d.service, contactId)
    }
    await anEvent(d.service, subscriber, 'subscribed')
    await eventually('the goal is counted', async () => {
      const { goalReached, active } = (await d.read(`automations/${id}/stats`)) as Record<string, number>
      return (goalReached === 1 && active === 1) || undefined
    })
    await d.open(`/automations/${id}`)
    await d.page.getByRole('radiogroup', { name: 'View' }).getByText('Report').click()
    await d.isAt('2 enrolled, 1 reached the goal.')
    const rows = d.page.getByRole('table', { name: 'Steps', exact: true }).locator('tbody tr')
    const cells = async () =>
      (await rows.allInnerTexts()).map((row) =>
        row
          .split(/\s*\t\s*/)
          .slice(-5)
          .join(' | '),
      )
    // Passed, here now, sent, opened, clicked, which are not tracked. Young enrollments do not count for the conversion.
    assert.deepEqual(await cells(), ['2 | 0 | 2 | – | –', '0 | 1 | – | – | –', '0 | 0 | – | – | –'])
    await d.shows('No enrollment is older than 14 days yet')
    await d.press('1 contact at Wait 1 hour')
    const aside = d.page.getByRole('region', { name: 'Contacts at the step' })
    await aside.getByText('waiting@example.com').waitFor()
    assert.equal(await aside.getByText('subscriber@example.com').count(), 0)
    await aside.getByRole('button', { name: 'Close' }).click()
    await aside.waitFor({ state: 'detached' })
  })

  it('compares versions, with a verdict only if the interval excludes 0', async () => {
    const id = await anAutomation(d.service, { name: 'Trial', goal })
    const etag = (await d.service.call('GET', `automations/${id}`)).headers.get('etag')!
    const steps = [EMAIL, { ...EMAIL, subject: 'More' }]
    await d.service.call('PUT', `automations/${id}/steps`, { steps }, { headers: { 'If-Match': etag } })
    const contactId = await aContact(d.service)
    // 20 of 200 on version 1, 60 of 200 on version 2: Newcombe's interval of the difference is 12.3 to 27.4 points.
    for (const [version, reached] of [
      [1, 20],
      [2, 60],
    ] as const)
      for (let n = 0; n < 200; n += 1)
        await sql(
          em(),
          `insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, ended_at, ended_by)
           select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::integer, $6, at, at + interval '1 day', $7::jsonb
           from (select now() - interval '40 days' as at) began`,
          [
            ...[newId(), d.service.workspaceId, id, contactId, version],
            ...(n < reached ? ['GOAL_REACHED', JSON.stringify(goal)] : ['COMPLETED', null]),
          ],
        )
    await recount(em())
    await d.open(`/automations/${id}/report`)
    const versions = d.page.getByRole('table', { name: 'Versions' }).locator('tbody tr')
    await versions.first().waitFor()
    const [second, first] = (await versions.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    assert.match(second!, /^Version 2 .* 200 200 60 30\.0% Better: \+20\.0 points, between \+12\.\d and \+27\.\d$/)
    assert.match(first!, /^Version 1 .* 200 200 20 10\.0% Baseline$/)
    await d.page.getByLabel('Count goals reached within').fill('60')
    await d.keys('Enter')
    await d.shows('Not enough data yet')
    assert.equal(new URL(d.page.url()).searchParams.get('window'), '60')
  })

  it('compares the branches of a split, and only lists those of a condition', async () => {
    const branches = ['Short', 'Long'].map((name) => ({ name, weight: 50, steps: [] }))
    const condition = { type: 'CONDITION', branches: [{ name: 'Pro', if: { tag: 'pro' }, steps: [] }], else: [] }
    const id = await anAutomation(d.service, { goal, steps: [{ type: 'SPLIT', branches }, condition] })
    const { steps } = (await d.read(`automations/${id}`)) as { steps: { id: string }[] }
    const contactId = await aContact(d.service)
    // As in the test of versions: 20 of 200, and 60 of 200.
    for (const [branch, reached] of [
      ['0', 20],
      ['1', 60],
    ] as const)
      await sql(
        em(),
        `with enrollment as (
           insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, ended_at, ended_by)
           select gen_random_uuid(), $1::uuid, $2::uuid, $3::uuid, 1, case when n <= $4 then 'GOAL_REACHED' else 'COMPLETED' end,
             now() - interval '40 days', now() - interval '39 days', case when n <= $4 then $5::jsonb end
           from generate_series(1, 200) n returning *
         )
         insert into step_runs (enrollment_id, step_id, workspace_id, automation_id, contact_id, version, type, finished_at, result)
         select id, run.step_id, workspace_id, automation_id, contact_id, version, 'SPLIT', enrolled_at,
           jsonb_build_object('next', 'continue', 'branch', run.branch)
         from enrollment cross join (values ($6::uuid, $8::text), ($7::uuid, 'else')) run(step_id, branch)`,
        [d.service.workspaceId, id, contactId, reached, JSON.stringify(goal), steps[0]!.id, steps[1]!.id, branch],
      )
    await recount(em())
    await d.open(`/automations/${id}/report`)
    const rows = d.page.getByRole('table', { name: 'Branches' }).locator('tbody tr')
    await rows.first().waitFor()
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
    assert.equal(texts[0], 'Short step 1, Split 50% / 50% 200 200 20 10.0% Baseline')
    assert.match(texts[1]!, /^Long step 1, .* 200 200 60 30\.0% Better: \+20\.0 points, between \+12\.\d and \+27\.\d$/)
    assert.deepEqual(texts.slice(2), [
      'Pro step 2, Tagged pro? 0 0 0 –',
      'Otherwise step 2, Tagged pro? 400 400 80 20.0%',
    ])
  })
})
