import assert from 'node:assert/strict'
import { type AdvanceDependencies, Transmission } from '../../src/campaigns/transmission.ts'
import type { Prepared } from '../../src/messages/index.ts'
import { ProviderPace } from '../../src/smtp/index.ts'

const PROBLEM = { field: 'subject', problem: 'broken' }
const [RENDERED, FAILING] = ['rendered', 'failing'].map((subject) => ({ subject, html: 'x', text: null })) as [
  object,
  object,
]

const message = (email: string, content: object) =>
  ({
    ref: { kind: 'campaign', campaignId: 'c', contactId: email },
    id: email,
    workspaceId: 'w',
    automationId: null,
    workspaceMode: 'live',
    mail: 'smtp',
    intent: 'send',
    before: 'QUEUED',
    attempts: 0,
    header: '<a@example.com>',
    sender: null,
    contact: { email, createdAt: new Date(), metadata: {}, tags: [] },
    content,
  }) as unknown as Prepared

describe('the transmission of a page', () => {
  for (const [what, emails] of [
    ['the limited provider', ['ada@slow.example', 'bob@slow.example']],
    ['another provider', ['ada@slow.example', 'bob@fast.example']],
  ] as const)
    it(`waits for the emails in flight if rendering one to ${what} fails`, async () => {
      const pace = new ProviderPace()
      for (let n = 0; n < 100; n += 1) pace.accepted('ada@slow.example')
      pace.tooFast('ada@slow.example')
      let isClaimed = false
      const dependencies = {
        mailFrom: 'news@example.com',
        links: { url: () => 'https://example.com' },
        smtp: { pace },
        metrics: { settled: () => undefined },
        log: { warn: () => undefined },
        connections: 2,
        renderer: {
          renderAll: (content: object) =>
            content === FAILING ? Promise.reject(new Error('The renderer is closed')) : Promise.resolve([PROBLEM]),
        },
        store: {
          claim: async () => {
            await new Promise((resolve) => setImmediate(resolve))
            return (isClaimed = true)
          },
        },
      } as unknown as AdvanceDependencies
      const sent = { tried: 0, mailed: 0, begun: 0, isHeld: false }
      const turn = new AbortController().signal
      const transmission = new Transmission(dependencies, { turn, until: performance.now() + 10_000 }, sent)
      await assert.rejects(transmission.sendAll([message(emails[0], RENDERED), message(emails[1], FAILING)]))
      assert.equal(isClaimed, true)
      assert.equal(sent.tried, 1)
    })
})
