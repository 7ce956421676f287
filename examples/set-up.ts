/** Sets up what the other programs use: a list, a welcome that starts when people sign up, and a segment. Run it once. */
import { createDriplineClient } from '@dripline/client'

const { DRIPLINE_URL = 'http://localhost:3000', DRIPLINE_API_KEY = '' } = process.env
const dripline = createDriplineClient({ baseUrl: `${DRIPLINE_URL}/api/v1`, apiKey: DRIPLINE_API_KEY })

const { id: listId } = await dripline.lists.create({ name: 'Newsletter' })
const { id: automationId } = await dripline.automations.create({
  name: 'Welcome',
  trigger: 'EVENT',
  triggerConfig: { eventName: 'Signed up' },
  exitOn: [{ event: 'unsubscribed' }],
  steps: [
    { type: 'EMAIL', subject: 'Welcome, {{ contact.firstName | default: "friend" }}', text: 'Good to have you here.' },
    { type: 'WAIT_FOR_EVENT', eventName: 'Project created', timeoutMinutes: 3 * 24 * 60 },
    { type: 'EMAIL', subject: 'How is it going?', text: 'Answer this email if you need help.' },
  ],
})
await dripline.automations.update(automationId, { status: 'ACTIVE' })
const { id: segmentId } = await dripline.segments.create({
  name: 'Free plan',
  condition: { metadata: 'plan', is: 'equal', value: 'free' },
})
console.log(JSON.stringify({ listId, automationId, segmentId }))
