import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'
import { withWaits } from '../support/waits.ts'

describe('a repeated erasure while an email is in flight', () => {
  let service: Service
  let answer: (() => void) | undefined
  after(() => answer?.())
  useServiceAndSink((started) => ({ service } = started), {
    onMail: () => new Promise<void>((done) => (answer = done)),
  })
  withWaits({ stop: 300 })

  it('succeeds by ID, address or externalId when no email is in flight anymore', async () => {
    const automationId = await anAutomation(service)
    for (const [by, nameOf] of [
      ['id', (id: string) => id],
      ['address', (_id: string, email: string) => `email:${email}`],
      ['externalId', (_id: string, email: string) => `external:of ${email}`],
    ] as const) {
      answer = undefined
      const email = `erased-by-${by}@example.com`
      const id = await aContact(service, { email, externalId: `of ${email}` })
      await enroll(service, automationId, id)
      await eventually('an email is in flight', () => answer)
      const erase = () => service.call('DELETE', `contacts/${encodeURIComponent(nameOf(id, email))}`)
      for (let n = 0; n < 2; n += 1) assert.equal((await erase()).refused, '503 still_sending', by)
      answer!()
      const outcome = await eventually('no email is in flight', async () => {
        const { refused, status } = await erase()
        return refused === '503 still_sending' ? undefined : (refused ?? status)
      })
      assert.ok(outcome === 200 || outcome === '404 contact_not_found', `${by}: ${outcome}`)
    }
  })
})
