/** Tries a month in a test workspace: a reminder of a renewal and a welcome to a plan, by moving the clock. */
import { createDriplineClient } from '@dripline/client'

const { DRIPLINE_URL = 'http://localhost:3000', DRIPLINE_TEST_KEY = '' } = process.env
const dripline = createDriplineClient({ baseUrl: `${DRIPLINE_URL}/api/v1`, apiKey: DRIPLINE_TEST_KEY })

const pro = { metadata: 'plan', is: 'equal' as const, value: 'pro' }
const { id: segmentId } = await dripline.segments.create({ name: 'Pro', condition: pro })
const email = (subject: string) => ({ type: 'EMAIL' as const, subject, text: 'Answer this email if you need help.' })
await dripline.automations.create({
  name: 'Renewal',
  status: 'ACTIVE',
  trigger: 'DATE',
  triggerConfig: { field: 'contact.metadata.renewsAt', repeat: 'ONCE', offsetDays: -7 },
  steps: [email('Your plan renews in a week'), { type: 'WAIT', delayMinutes: 6 * 24 * 60 }, email('Renews tomorrow')],
})
await dripline.automations.create({
  name: 'Welcome to Pro',
  status: 'ACTIVE',
  trigger: 'SEGMENT_ENTERED',
  triggerConfig: { segmentId },
  steps: [email('Welcome to Pro')],
})
const renewsAt = new Date(Date.now() + 28 * 86_400_000).toISOString().slice(0, 10)
const ada = await dripline.contacts.upsert({ email: 'ada@example.com', metadata: { plan: 'pro', renewsAt } })
await dripline.workspace.moveClock({ minutes: 22 * 24 * 60 })
console.log(JSON.stringify({ contactId: ada.id, segmentId }))
