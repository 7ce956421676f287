import assert from 'node:assert/strict'
import { startMetrics } from '../../src/runtime/metrics-server.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('metrics', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

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
    const completed = /^dripline_enrollments_completed /
    const enrolled = /^dripline_enrollments_enrolled /
    const sent = /^dripline_messages_total\{status="SENT"\}/
    const requests = (method: string, route: string, status: number) =>
      new RegExp(
        `^dripline_http_request_duration_seconds_count\\{method="${method}",route="${route}",status="${status}"\\}`,
      )
    const enrollRequests = requests('POST', '/api/v1/automations/:id/enroll', 202)
    const unknown = requests('GET', 'none', 404)
    try {
      const before = await scrape()
      const contactId = await aContact(service)
      const automationId = await anAutomation(service)
      await enroll(service, automationId, contactId)
      await service.call('GET', 'contacts?email=ada@example.com')
      await service.call('GET', 'nowhere')
      // The worker may also finish what earlier suites began.
      const text = await eventually('all are counted', async () => {
        const scraped = await scrape()
        const isCounted = (counter: RegExp) => valueOf(scraped, counter) > (valueOf(before, counter) || 0)
        return [completed, enrolled, sent, enrollRequests, unknown].every(isCounted) ? scraped : undefined
      })
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
