import { sql } from '../../src/platform/db/sql.ts'
import { onDashboard } from '../support/dashboard.ts'
import { aContact, anAutomation, anEvent, EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('activation in the dashboard', () => {
  const d = onDashboard()

  it('names events that were never received, who enters, and every email with a placeholder', async () => {
    // Events of another workspace do not count.
    const other = await openWorkspace()
    await anEvent(other, await aContact(other), 'order.placed')
    await anEvent(d.service, await aContact(d.service), 'trial.started')
    await anEvent(d.service, await aContact(d.service), 'account.closed')
    await sql(
      d.service.context.orm.em.fork(),
      `update trigger_events set created_at = '2026-01-15T12:00:00Z' where workspace_id = $1::uuid and name = 'account.closed'`,
      [d.service.workspaceId],
    )
    const invited = { any: [{ tag: 'team' }, { not: { event: 'team.invited' } }] }
    const id = await anAutomation(d.service, {
      name: 'Trial',
      status: 'DRAFT',
      trigger: 'EVENT',
      triggerConfig: { eventName: 'Trial.started' },
      entry: { filter: { tag: 'pro' }, reentry: 'ONCE' },
      goal: { eventName: 'order.placed' },
      exitOn: [{ condition: { event: 'account.closed' } }],
      steps: [
        { ...EMAIL, subject: 'First', text: 'Lorem ipsum' },
        {
          type: 'WAIT_FOR_EVENT',
          eventName: 'order.placed',
          timeoutMinutes: 60,
          received: [{ type: 'CONDITION', branches: [{ name: 'Yes', if: invited, steps: [] }], else: [] }],
          timedOut: [],
        },
        { ...EMAIL, subject: 'Second', text: 'Continue here: …' },
      ],
    })
    await d.open(`/automations/${id}`)
    await d.press('Activate…')
    const dialog = d.page.getByRole('dialog', { name: 'Activate “Trial”' })
    for (const text of [
      'Event Trial.started',
      'tagged pro',
      'Once per contact',
      '“First” has text to replace: “Lorem ipsum”',
      '“Second” has text to replace: “Continue here: …”',
      'Step 2 and goal need order.placed, which was never received',
      'Step 3 checks team.invited, which was never received',
      /^Exit rule checks account.closed, which was last received on .*15/,
    ])
      await dialog.getByText(text).waitFor()
    await dialog.getByRole('button', { name: 'Fix 2 problems' }).waitFor()
    // A check turns in its place.
    await anEvent(d.service, await aContact(d.service), 'order.placed')
    await dialog.getByText('need order.placed').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Edit' }).nth(1).click()
    await d.field('Subject').getByText('Second').waitFor()
    await d.press('Activate…')
    await dialog.getByRole('link', { name: 'Events' }).last().click()
    await d.isAt('Events')
    await eventually('it is still a draft', async () => {
      const { status } = (await d.read(`automations/${id}`)) as { status: string }
      return status === 'DRAFT' || undefined
    })
  })
})
