import { onDashboard } from '../support/dashboard.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'

describe('following contacts in the dashboard', () => {
  const d = onDashboard()

  it('shows the contacts of each branch and each step', async () => {
    const pro = { name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [wait(60), EMAIL] }
    const waiting = { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 }
    const automationId = await anAutomation(d.service, {
      steps: [{ type: 'CONDITION', branches: [pro], else: [waiting] }],
    })
    for (const plan of ['pro', 'free', 'free'])
      await enroll(d.service, automationId, await aContact(d.service, { metadata: { plan } }))
    await d.open(`/automations/${automationId}?view=numbers`)
    await d.shows('3 passed')
    await d.page.getByText('Pro1', { exact: true }).waitFor()
    await d.page.getByText('Otherwise2', { exact: true }).waitFor()
    await d.shows('2 here', '1 here')
    await d.page.getByText('Wait for project.created').click()
    await d.shows('passed this step')
  })

  it('shows decisions and refused entries in the timeline and beside the enrollment', async () => {
    const name = 'Follow up'
    const branch = { name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [] }
    const automationId = await anAutomation(d.service, {
      name,
      trigger: 'EVENT',
      triggerConfig: { eventName: 'order.placed' },
      entry: { filter: { eventData: 'total', is: 'more', value: 50 } },
      steps: [
        { type: 'CONDITION', name: 'Plan', branches: [branch], else: [] },
        { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 },
      ],
    })
    const contactId = await aContact(d.service, { metadata: { plan: 'pro' } })
    await anEvent(d.service, contactId, 'order.placed', { total: 10 })
    await anEvent(d.service, contactId, 'order.placed', { total: 90 })
    await d.open(`/contacts/${contactId}`)
    await d.shows('Took the branch “Pro”: its condition was the first that matched.')
    await d.shows(/^Waits for project\.created until /)
    await d.shows('Was not enrolled: the entry filter did not match.')
    await d.open(`/enrollments?automationId=${automationId}`)
    await d.press(/^Actions for /)
    await d.menuItem('Show decisions')
    await d.shows('Took the branch “Pro”')
    await d.open(`/automations/${automationId}?view=numbers`)
    await d.isAt('Entries refused')
    await d.shows('Entry filter')
  })
})
