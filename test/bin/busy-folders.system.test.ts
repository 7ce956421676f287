import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { makeBusyFolder, subjectOf } from '../support/busy-folder/make.ts'
import { startProduct, type Product } from '../support/busy-folder/product.ts'
import { dataDirOf, readStory, type Person } from '../support/busy-folder/story.ts'
import { eventually } from '../support/eventually.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

/**
 * Data folders of earlier versions, as `VERSION.tar.gz`. Create one for each release:
 *
 *     git worktree add ../released vVERSION && (cd ../released && npm ci)
 *     npm run busy-folder -- FOLDER --of ../released
 *     tar -C FOLDER -czf test/bin/busy-folders/VERSION.tar.gz .
 *
 * An archive works only on the platform and with the major version of Postgres that created it. Elsewhere, or for an older
 * version, create a folder and set BUSY_FOLDER=FOLDER. The test copies it and does not change it.
 */
const KEPT = join(import.meta.dirname, 'busy-folders')

describe('a data folder with enrollments in every state', function () {
  this.timeout(300_000)
  let folder: string
  let sink: SmtpSink
  let product: Product | undefined

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-busy-'))
    sink = await startSmtpSink()
  })
  afterEach(async () => {
    await product?.kill()
    product = undefined
    await sink.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('starts with a folder of this version, and continues its enrollments', async () => {
    await makeBusyFolder(folder)
    await bringUp()
  })

  for (const archive of existsSync(KEPT) ? readdirSync(KEPT) : []) {
    it(`starts with ${archive}, and continues its enrollments`, async () => {
      execFileSync('tar', ['-C', folder, '-xzf', join(KEPT, archive)])
      await bringUp()
    })
  }

  const { BUSY_FOLDER } = process.env
  if (BUSY_FOLDER) {
    it(`starts with ${BUSY_FOLDER}, and continues its enrollments`, async () => {
      execFileSync('cp', ['-a', `${BUSY_FOLDER}/.`, folder])
      await bringUp()
    })
  }

  async function bringUp(): Promise<void> {
    const story = readStory(folder)
    const { people } = story
    product = await startProduct(dataDirOf(folder), sink.url)
    product.use(story.key)
    const { call, metric } = product

    /** All messages that the mail server received in full, before and after the start. */
    const sent = () => [
      ...people.flatMap(({ email, had }) => had.map((subject) => `${email}: ${subject}`)),
      ...sink.mails.flatMap((mail) => mail.to.map((to) => `${to}: ${subjectOf(mail)}`)),
    ]
    const dueTo = (of: readonly Person[]) => of.flatMap(({ email, due }) => due.map((each) => `${email}: ${each}`))
    const isPaused = ({ automationId }: Person) => story.paused.includes(automationId)
    const emailsArrive = (what: string, keys: readonly string[]) =>
      eventually(what, () => keys.every((key) => sent().includes(key)) || undefined, 120_000).catch(() =>
        assert.fail(`${what}: ${keys.filter((key) => !sent().includes(key)).join(', ')}`),
      )

    // First the enrollments of active automations, then the paused ones after their automations are activated.
    await emailsArrive('due emails are sent', dueTo(people.filter((person) => !isPaused(person))))
    const paused = people.filter(isPaused)
    await eventually(
      'their enrollments are paused',
      async () => (await metric('dripline_enrollments_paused')) === paused.length || undefined,
    )
    assert.deepEqual(
      dueTo(paused).filter((key) => sent().includes(key)),
      [],
      'paused automations send nothing',
    )
    for (const id of story.paused) await call('PATCH', `automations/${id}`, { status: 'ACTIVE' })
    await emailsArrive('paused enrollments continue', dueTo(paused))

    // Finally each enrollment is in the expected state, and nothing is pending.
    const notThrough = async () => {
      const { data } = await call('GET', 'automations?limit=100')
      return (data as { id: string; name: string; enrolledCount: number; completedCount: number }[]).flatMap(
        ({ id, name, enrolledCount, completedCount }) => {
          const of = people.filter(({ automationId }) => automationId === id)
          const completed = of.filter(({ end }) => end === 'completed').length
          // Erased contacts count as enrolled.
          const enrolled = of.length
          if (completedCount === completed && enrolledCount === enrolled) return []
          return [`${name}: ${enrolledCount}/${completedCount} instead of ${enrolled}/${completed}`]
        },
      )
    }
    await eventually(
      'all enrollments are completed except those with long waits',
      async () => (await notThrough()).length === 0 || undefined,
    ).catch(async () => assert.deepEqual(await notThrough(), []))
    await eventually('nothing is pending', async () => {
      const pending = [await metric('dripline_trigger_events_undelivered'), await metric('dripline_changes_pending')]
      return pending.every((count) => count === 0) || undefined
    })
    const waiting = people.filter(({ end }) => end === 'waits')
    await eventually(
      'only waiting enrollments still run in Temporal',
      async () => (await countRunning(product!)) === waiting.length || undefined,
    )

    const counts = Object.entries(Object.groupBy(sent(), (key) => key)).map(([key, all]) => [key, all?.length])
    assert.deepEqual(
      counts.filter(([, count]) => count !== 1),
      [],
      'nothing is sent twice',
    )
    const expected = people.flatMap(({ email, had, due }) =>
      [...new Set([...had, ...due])].map((each) => `${email}: ${each}`),
    )
    assert.deepEqual(sent().toSorted(), expected.toSorted(), 'exactly the due emails are sent')

    for (const { what, email, contactId, had, due, unconfirmed, end } of people) {
      if (end === 'gone') continue
      const { data } = await call('GET', `contacts/${contactId}/activity`)
      const statuses = (data as { status: string }[]).map(({ status }) => status)
      const all = new Set([...had, ...due]).size
      const wanted = [
        ...Array.from({ length: all - unconfirmed }, () => 'SENT'),
        ...Array.from({ length: unconfirmed }, () => 'UNCONFIRMED'),
      ]
      assert.deepEqual(statuses.toSorted(), wanted, `${email}, who ${what}`)
    }
    for (const { automationId, contactId } of waiting) {
      const { data } = await call('POST', `automations/${automationId}/enroll`, { contactId })
      assert.equal(data.enrolled, false, 'a waiting contact is still enrolled')
    }
    await product.stop()
    assert.equal(await product.run.code, 0)
  }
})

async function countRunning({ temporalAddress }: Product): Promise<number> {
  const connection = await Connection.connect({ address: temporalAddress })
  try {
    const { count } = await new Client({ connection }).workflow.count('ExecutionStatus = "Running"')
    return count
  } finally {
    await connection.close()
  }
}
