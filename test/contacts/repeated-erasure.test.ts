import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import type { Service } from '../support/service.ts'

describe('a repeated erasure while an email is in flight', () => {
  let service: Service
  let answer: (() => void) | undefined
  after(() => answer?.())
  useServiceAndSink((started) => ({ service } = started), {
    onMail: () => new Promise<void>((done) => (answer = done)),
  })

  for (const [by, nameOf] of [
    ['id', (id: string) => id],
    ['address', (_id: string, email: string) => `email:${email}`],
    ['externalId', (_id: string, email: string) => `external:of ${email}`],
  ] as const) {
    it(`succeeds by ${by} when no email is in flight anymore`, async () => {
      answer = undefined
      const email = `erased-by-${by}@example.com`
      const id = await aContact(service, { email, externalId: `of ${email}` })
      await enroll(service, await anAutomation(service), id)
      await eventually('an email is in flight', () => answer)
      const erase = () => service.call('DELETE', `contacts/${encodeURIComponent(nameOf(id, email))}`)
      assert.equal((await erase()).refused, '503 still_sending')
      assert.equal((await erase()).refused, '503 still_sending')
      const another = await service.newKey()
      const elsewhere = await service.call('DELETE', 'contacts/email:nobody@example.com', undefined, { key: another })
      assert.equal(elsewhere.refused, '404 contact_not_found')
      answer!()
      const settled = await eventually('no email is in flight', async () => {
        const { refused, status } = await erase()
        return refused === '503 still_sending' ? undefined : (refused ?? status)
      })
      assert.ok(settled === 200 || settled === '404 contact_not_found', String(settled))
    })
  }
})
