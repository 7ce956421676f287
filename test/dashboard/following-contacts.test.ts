import type { Browser, Page } from 'playwright-core'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'

describe('following contacts in the dashboard', () => {
  let service: Service
  let browser: Browser
  let page: Page
  after(() => browser.close())
  useServiceAndSink((started) => ({ service } = started))
  before(async () => {
    browser = await openChromium()
    const { email } = await aMember(service)
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
  })

  it('shows the contacts of each branch and each step', async () => {
    const pro = { name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [wait(60), EMAIL] }
    const waiting = { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 }
    const automationId = await anAutomation(service, {
      steps: [{ type: 'CONDITION', branches: [pro], else: [waiting] }],
    })
    for (const plan of ['pro', 'free', 'free'])
      await enroll(service, automationId, await aContact(service, { metadata: { plan } }))
    await page.goto(`/w/${service.workspaceId}/automations/${automationId}?view=numbers`)
    await page.getByText('3 passed').waitFor()
    await page.getByText('Pro1', { exact: true }).waitFor()
    await page.getByText('Otherwise2', { exact: true }).waitFor()
    await page.getByText('2 here').waitFor()
    await page.getByText('1 here').waitFor()
    await page.getByText('Wait for project.created').click()
    await page.getByText('passed this step').waitFor()
  })

  it('shows decisions and refused entries in the timeline and beside the enrollment', async () => {
    const name = 'Follow up'
    const branch = { name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [] }
    const automationId = await anAutomation(service, {
      name,
      trigger: 'EVENT',
      triggerConfig: { eventName: 'order.placed' },
      entry: { filter: { eventData: 'total', is: 'more', value: 50 } },
      steps: [
        { type: 'CONDITION', name: 'Plan', branches: [branch], else: [] },
        { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 },
      ],
    })
    const contactId = await aContact(service, { metadata: { plan: 'pro' } })
    await anEvent(service, contactId, 'order.placed', { total: 10 })
    await anEvent(service, contactId, 'order.placed', { total: 90 })
    await page.goto(`/w/${service.workspaceId}/contacts/${contactId}`)
    await page.getByText('Took the branch “Pro”: its condition was the first that matched.').waitFor()
    await page.getByText(/^Waits for project\.created until /).waitFor()
    await page.getByText('Was not enrolled: the entry filter did not match.').waitFor()
    await page.goto(`/w/${service.workspaceId}/enrollments?automationId=${automationId}`)
    await page.getByRole('button', { name: 'Decisions' }).click()
    await page.getByText('Took the branch “Pro”').waitFor()
    await page.goto(`/w/${service.workspaceId}/automations/${automationId}?view=numbers`)
    await page.getByRole('heading', { name: 'Entries refused' }).waitFor()
    await page.getByText('Entry filter').waitFor()
  })
})
