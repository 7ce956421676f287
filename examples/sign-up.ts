/** Signs a person up. One call creates the contact and records the event that starts a welcome. */
import { createDriplineClient } from '@dripline/client'

const { DRIPLINE_URL = 'http://localhost:3000', DRIPLINE_API_KEY = '', LIST_ID = '' } = process.env
const dripline = createDriplineClient({ baseUrl: `${DRIPLINE_URL}/api/v1`, apiKey: DRIPLINE_API_KEY })

const [email = 'ada@example.com', firstName = 'Ada'] = process.argv.slice(2)
const { contactId, matchingAutomations } = await dripline.events.send({
  name: 'Signed up',
  email,
  contact: { firstName, metadata: { plan: 'free' } },
  lists: LIST_ID ? [LIST_ID] : [], // The contact also joins this list.
  data: { source: 'website' },
})
console.log(JSON.stringify({ contactId, matchingAutomations }))
