/** Rehearses an automation for a contact: what would happen, and when. Nothing is sent. */
import { createDriplineClient } from '@dripline/client'

const { DRIPLINE_URL = 'http://localhost:3000', DRIPLINE_API_KEY = '' } = process.env
const dripline = createDriplineClient({ baseUrl: `${DRIPLINE_URL}/api/v1`, apiKey: DRIPLINE_API_KEY })

const [automationId = '', contactId = 'ada@example.com'] = process.argv.slice(2)
const rehearsal = await dripline.automations.rehearse(automationId, {
  contactId,
  startAt: '2027-03-01T09:00:00Z',
  events: [{ eventName: 'order.placed', afterMinutes: 3 * 24 * 60, data: { total: 49 } }],
})
if (!('timeline' in rehearsal)) throw new Error('This is a rehearsal for many contacts')
const emails = rehearsal.rendered.map(({ at, subject }) => `${at} ${subject}`)
console.log(JSON.stringify({ outcome: rehearsal.outcome, emails: emails.join(', ') }))
