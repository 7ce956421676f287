/** Sends a receipt with an attachment. If the program runs again for the same order, nothing is sent twice. */
import { createDriplineClient } from '@dripline/client'

const { DRIPLINE_URL = 'http://localhost:3000', DRIPLINE_API_KEY = '' } = process.env
const dripline = createDriplineClient({ baseUrl: `${DRIPLINE_URL}/api/v1`, apiKey: DRIPLINE_API_KEY })

const [to = 'ada@example.com', orderId = 'A-17'] = process.argv.slice(2)
const { id, status } = await dripline.emails.send(
  {
    to,
    subject: `Your receipt for order ${orderId}`,
    html: '<p>Thank you. Your receipt is attached.</p>',
    attachments: [{ filename: 'receipt.txt', content: btoa('Total: 49.00') }],
    tags: ['receipt'],
  },
  { idempotencyKey: `receipt-${orderId}` },
)
console.log(JSON.stringify({ id, status }))
