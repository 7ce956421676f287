/**
 * A workspace that causes the worst load through the API, as fast as its key allows, until it is killed. Arguments: the API's
 * URL, the key, the event's name, the ID of the automation whose steps it replaces.
 */
import { setTimeout as delay } from 'node:timers/promises'

const [baseUrl = '', key = '', eventName = '', automationId = ''] = process.argv.slice(2)

async function call(method: string, path: string, body: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(`${baseUrl}/${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body,
    })
    if (answer.status !== 429) return answer
    await answer.body?.cancel()
    await delay(Number(answer.headers.get('retry-after') ?? 1) * 1_000)
  }
}

const send = async (method: string, path: string, body: object): Promise<unknown> =>
  (await call(method, path, JSON.stringify(body))).json()

let contacts = 0
const newContact = () => ({ email: `worst-${process.pid}-${(contacts += 1)}@example.com`, firstName: 'Ada' })

/** A template with the longest allowed loops and the longest allowed source. */
const heavy = (n: number) => ({
  type: 'EMAIL',
  subject: `Heavy ${n}`,
  html: '{% for i in (1..49000) %}{{ i }}{% endfor %}',
  text: '{{ a }}b'.repeat(4_900),
})
/** Templates that would never end, or use all memory. */
const refused = [
  '{% for i in (1..99999999) %}{% for j in (1..99999999) %}{{ i }}{% endfor %}{% endfor %}',
  `{% assign a = "x" %}${'{% capture a %}{{ a }}{{ a }}{% endcapture %}'.repeat(30)}`,
  '{{ a }}b'.repeat(80_000),
]

const ATTACKS: readonly ((round: number) => Promise<unknown>)[] = [
  // Templates that are accepted, and take long.
  (n) => send('PUT', `automations/${automationId}/steps`, { steps: [heavy(2 * n), heavy(2 * n + 1)] }),
  // Templates that are rejected.
  (n) =>
    send('PUT', `automations/${automationId}/steps`, {
      steps: [{ type: 'EMAIL', subject: `Hangs ${n}`, html: refused[n % refused.length] }],
    }),
  // The maximum of content.
  (n) =>
    send('PUT', `automations/${automationId}/steps`, {
      steps: Array.from({ length: 20 }, (_, of) => ({
        type: 'EMAIL',
        subject: `Long ${of}`,
        html: `${n} `.padEnd(200_000, 'Good to have you here. '),
      })),
    }),
  // A thousand contacts who sign up and get a slow email.
  () => send('POST', 'contacts/bulk', { contacts: Array.from({ length: 1_000 }, newContact) }),
  // A thousand contacts with errors in each of their tags.
  () =>
    send('POST', 'contacts/bulk', {
      contacts: Array.from({ length: 1_000 }, () => ({ ...newContact(), tags: Array.from({ length: 90 }, () => 1) })),
    }),
  // An event that starts many automations.
  async () => {
    const { data } = (await send('POST', 'contacts', newContact())) as { data: { id: string } }
    return send('POST', `contacts/${data.id}/events`, { name: eventName })
  },
  // A body that is rejected for its length, and one for its depth.
  async () => (await call('POST', 'contacts', 'x'.repeat(2_500_000))).text(),
  async () => (await call('POST', 'contacts', `{"metadata":${'['.repeat(100_000)}`)).text(),
]

for (let round = 0; ; round += 1) {
  // Rejections and lost connections do not matter: the point is to try everything.
  await Promise.allSettled(ATTACKS.map((attack) => attack(round)))
}
