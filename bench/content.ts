import { recordEnrollment } from '../src/enrollments/record-enrollment.ts'
import { prepareStep } from '../src/enrollments/send-step.ts'
import type { Prepared } from '../src/messages/prepared.ts'
import { createMessageStore } from '../src/runtime/mail.ts'
import { newId } from '../src/platform/ids.ts'
import { anAutomation } from '../test/support/factories.ts'
import { quietLog } from '../test/support/log.ts'
import { anAttempt } from '../test/support/step-claims.ts'
import { startService, type Service } from './service.ts'
import { median, timed, type Benchmark } from './compare.ts'
import { makeContacts } from './load.ts'

const EMAILS = 20
const CONTACTS = 100

/** Recording an enrollment and claiming its first email, with long emails ÷ with short ones. Contents are stored separately. */
export const content: Benchmark = {
  name: 'content',
  title: 'recording an enrollment and claiming an email, with 20 emails of 200 KB ÷ of 1 KB',
  goal: { atMost: 1.2 },
  unit: 'ms',
  async prepare(note) {
    const service = await startService({ worker: false })
    const contacts = await makeContacts(service, CONTACTS, 'content')
    const reads = { long: [] as number[], short: [] as number[] }
    const sideOf = (characters: number, of: number[]) => async () => {
      const automation = await createAutomation(service, characters)
      const enrollments = contacts.map((contactId) => enrollmentOf(service, automation, contactId))
      // Runs one kind of statement after the other, so that reads and writes do not affect each other.
      const times = { record: [] as number[], claim: [] as number[] }
      for (const { record } of enrollments) times.record.push(await timed(record))
      for (const { prepare } of enrollments) of.push(await timed(prepare))
      for (const { claim } of enrollments) times.claim.push(await timed(claim))
      return median(times.record) + median(times.claim)
    }
    return {
      ours: sideOf(200_000, reads.long),
      bare: sideOf(1_000, reads.short),
      async close() {
        const [long, short] = [median(reads.long), median(reads.short)].map((time) => time.toFixed(1))
        note(`Reading the one email that is sent is not included. It takes ${long} ms and ${short} ms.`)
        await service.stop()
      },
    }
  },
}

interface Automation {
  automationId: string
  /** The ID of its first step. */
  stepId: string
}

/** Creates an automation whose emails differ, so that each is stored separately. */
async function createAutomation(service: Service, characters: number): Promise<Automation> {
  const automationId = await anAutomation(service, {
    steps: Array.from({ length: EMAILS }, (_, n) => ({
      type: 'EMAIL',
      subject: `Email ${n}`,
      html: `<p>${n}</p>`.padEnd(characters, 'Good to have you here. '),
    })),
  })
  const { body } = await service.call('GET', `automations/${automationId}`)
  return { automationId, stepId: (body as { data: { steps: { id: string }[] } }).data.steps[0]!.id }
}

/** The database work of an enrollment until its first email is sent. */
function enrollmentOf({ context, workspaceId }: Service, { automationId, stepId }: Automation, contactId: string) {
  const em = () => context.orm.em.fork()
  const enrollmentId = newId()
  const write = {
    id: enrollmentId,
    automationId,
    contactId,
    concurrencyKey: '',
    dedupKey: null,
    triggerEventId: null,
    enrolledAt: new Date(),
  }
  let message: Prepared | undefined
  return {
    /** Records it as the API does, and again as the workflow does. */
    record: async () => {
      await recordEnrollment(em(), write)
      await recordEnrollment(em(), write)
    },
    prepare: async () => {
      const step = { workspaceId, automationId, enrollmentId, stepId }
      const prepared = await prepareStep({ em: em(), log: quietLog }, step)
      if (prepared.kind !== 'ready') throw new Error(`The email is ${prepared.kind}`)
      message = prepared.message
    },
    claim: async () => {
      const isClaimed = await createMessageStore(em()).claim(anAttempt(message!), { status: 'SENDING' })
      if (!isClaimed) throw new Error('An email was not claimed')
    },
  }
}
