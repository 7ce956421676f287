import assert from 'node:assert/strict'
import { startMetrics } from '../../src/runtime/metrics-server.ts'
import { activityOf, aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import { startService, type Service } from '../support/service.ts'

describe('metrics', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  it('cover requests, messages and pending work, on their own port, without personal data', async () => {
    const [port] = await freePorts(1)
    const part = await startMetrics(service.context, port!, undefined)
    const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const valueOf = (text: string, line: RegExp) =>
      Number(
        text
          .split('\n')
          .find((item) => line.test(item))
          ?.split(' ')
          .at(-1),
      )
    try {
      const contactId = await aContact(service)
      const automationId = await anAutomation(service)
      await enroll(service, automationId, contactId)
      await service.call('GET', 'contacts?email=ada@example.com')
      await service.call('GET', 'nowhere')
      await eventually('the mail', async () =>
        (await activityOf(service, contactId)).find(({ status }) => status === 'CAPTURED'),
      )
      const text = await eventually('the end is counted', async () => {
        const scraped = await scrape()
        return valueOf(scraped, /^dripline_enrollments_completed /) === 1 ? scraped : undefined
      })
      const requests = (labels: string) =>
        valueOf(text, new RegExp(`^dripline_http_request_duration_seconds_count\\{${labels}\\}`))
      assert.equal(requests('method="POST",route="/api/v1/automations/:id/enroll",status="202"'), 1)
      assert.equal(requests('method="GET",route="none",status="404"'), 1)
      assert.equal(valueOf(text, /^dripline_messages_total\{status="CAPTURED"\}/), 1)
      assert.equal(valueOf(text, /^dripline_enrollments_enrolled /), 1)
      assert.equal(valueOf(text, /^dripline_trigger_event_oldest_undelivered_seconds /), 0)
      assert.equal(valueOf(text, /^dripline_database_up /), 1)
      assert.doesNotMatch(text, /@example|svc_live/)
      assert.ok(!text.includes(contactId))
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404)
    } finally {
      await part.stop()
    }
  })
})
