import pMap from 'p-map'
import { createTransport } from 'nodemailer'
import { newId } from '../src/platform/ids.ts'
import { anAutomation, EMAIL } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from './service.ts'
import { startSmtpSink } from '../scripts/cluster/smtp-sink.ts'
import { startBareWorker } from './bare/worker.ts'
import { timed, type Benchmark } from './compare.ts'
import { bareInput, makeContacts } from './load.ts'

const MAILS = 200
const CONCURRENCY = 50
const CONNECTIONS = 5

/** Mail through workflows, worker and database ÷ through a workflow with one activity, over the same kind of pool. */
export const send: Benchmark = {
  name: 'send',
  title:
    'mails/s through workflows, worker and database ÷ a nodemailer pool called from a bare workflow, an activity per mail',
  goal: { atLeast: 1.2 },
  unit: 'mails/s',
  async prepare() {
    const sink = await startSmtpSink()
    const service = await startService({ env: { SMTP_URL: sink.url, SMTP_CONNECTIONS: String(CONNECTIONS) } })
    const { config, temporal, dependencies } = service.context
    const pool = createTransport({ url: sink.url, pool: true, maxConnections: CONNECTIONS, maxMessages: Infinity })
    const stopWorker = await startBareWorker(config, 'bare-send', {
      send: async (to) => void (await pool.sendMail({ from: 'a@example.com', to, subject: 'Hello Ada', text: 'Hi' })),
    })
    const contacts = await makeContacts(service, MAILS, 'send')
    const rate = async (start: (contactId: string) => Promise<unknown>) => {
      const wanted = sink.mails.length + MAILS
      const milliseconds = await timed(async () => {
        await pMap(contacts, start, { concurrency: CONCURRENCY })
        await eventually('the mails', () => (sink.mails.length >= wanted ? true : undefined), 120_000)
      })
      return MAILS / (milliseconds / 1_000)
    }
    return {
      async ours() {
        const automationId = await anAutomation(service, { steps: [EMAIL] })
        return rate((contactId) =>
          dependencies.enrollments.start({
            automationName: 'Send',
            requestId: null,
            input: {
              ...bareInput({ enrollmentId: newId(), workspaceId: service.workspaceId, automationId, contactId }),
              clockAhead: 0,
            },
          }),
        )
      },
      bare: () =>
        rate((contactId) =>
          temporal.workflow.start('bareEmail', {
            taskQueue: 'bare-send',
            workflowId: newId(),
            args: [`${contactId}@example.com`],
          }),
        ),
      async close() {
        pool.close()
        await stopWorker()
        await service.stop()
        await sink.close()
      },
    }
  },
}
