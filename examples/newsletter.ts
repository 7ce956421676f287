/** Imports customers, and sends a newsletter to those with the plan "pro". */
import { createDriplineClient } from '@dripline/client'

const { DRIPLINE_URL = 'http://localhost:3000', DRIPLINE_API_KEY = '' } = process.env
const dripline = createDriplineClient({ baseUrl: `${DRIPLINE_URL}/api/v1`, apiKey: DRIPLINE_API_KEY })

const { id: importId } = await dripline.imports.create({
  name: 'customers.csv',
  text: 'email,first name,plan\nada@example.com,Ada,pro\nbob@example.com,Bob,free\n',
  columns: [{ column: 'plan', field: 'metadata.plan' }],
  consent: 'SUBSCRIBED',
})
await dripline.imports.start(importId)
const isRunning = async () => (await dripline.imports.get(importId)).status === 'RUNNING'
while (await isRunning()) await new Promise((resolve) => setTimeout(resolve, 200))

const pro = { metadata: 'plan', is: 'equal' as const, value: 'pro' }
const { id: segmentId } = await dripline.segments.create({ name: 'Pro', condition: pro })
const { id: campaignId } = await dripline.campaigns.create({
  name: 'News in November',
  subject: 'News for {{ contact.firstName | default: "you" }}',
  text: 'New this month: a test clock.',
  audience: { segmentIds: [segmentId] },
})
await dripline.campaigns.schedule(campaignId, {})
console.log(JSON.stringify({ importId, segmentId, campaignId }))
