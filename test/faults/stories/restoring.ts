import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadTables, saveTables } from '../../../embedded/backup/tables.ts'
import { markRestored } from '../../../src/relay/restored.ts'
import { email, type MessageRow, type Person, type Stage, Wrong } from '../stage.ts'
import type { Story } from './story.ts'

const PEOPLE = 20
const SUBJECTS = ['One', 'Two', 'Three']

const takenBy = (stage: Stage, people: readonly { email: string }[]) =>
  stage.world.accepted().filter(({ kind, to }) => kind === 'accepted' && people.some((each) => each.email === to))
    .length

/** Checks that each email was accepted once or is UNCONFIRMED, and that its status agrees. */
async function noneTwice(stage: Stage, person: Person): Promise<void> {
  const rows = await noneTwiceOrLost(stage, person)
  if (rows.length !== SUBJECTS.length) throw new Wrong(`${person.email} has ${rows.length} messages`)
}

/** Checks the same for a database without the messages that were sent after its backup. */
async function noneTwiceOrLost(stage: Stage, person: Person): Promise<MessageRow[]> {
  const rows = await stage.messagesOf(person)
  for (const subject of SUBJECTS) {
    const times = stage.taken(person, subject).length
    if (times > 1) throw new Wrong(`${person.email} got ${subject} ${times} times`)
  }
  const count = (wanted: string) => rows.filter(({ status }) => status === wanted).length
  const taken = stage.taken(person).length
  const statuses = rows.map(({ status }) => status).join(', ')
  if (count('SENT') > taken || count('SENT') + count('UNCONFIRMED') !== rows.length)
    throw new Wrong(`${person.email} got ${taken} emails, recorded as ${statuses}`)
  if (taken + count('UNCONFIRMED') < SUBJECTS.length)
    throw new Wrong(`${person.email} got ${taken} emails, and one is missing: ${statuses}`)
  return rows
}

/** Checks that an enrollment reached its end, if its workflow had not ended before the loss. */
async function completedOrEnded(stage: Stage, person: Person): Promise<void> {
  const ended = async () => (await stage.enrollmentsOf(person)).every(({ status }) => status !== 'ACTIVE')
  await stage.soon(`${person.email}'s enrollment ends`, ended, 120_000)
  const statuses = (await stage.enrollmentsOf(person)).map(({ status }) => status)
  // Reconciling cancels an enrollment whose workflow ended after the backup.
  const mayBe = stage.taken(person).length === SUBJECTS.length ? ['COMPLETED', 'CANCELLED'] : ['COMPLETED']
  if (statuses.length === 0 || !statuses.every((status) => mayBe.includes(status)))
    throw new Wrong(`The enrollment of ${person.email} is ${statuses.join(', ')}`)
}

/** Stories of restores from a backup. */
export const RESTORING: Record<string, Story> = {
  'older-ledger': {
    what: 'a database is backed up under load, continues, and is restored below the newer Temporal',
    async play(stage) {
      const { world } = stage
      const folder = mkdtempSync(join(tmpdir(), 'dripline-story-'))
      try {
        const automation = await stage.automation(SUBJECTS.map(email))
        world.setMail({ takesMs: 200 })
        const people = await Promise.all(Array.from({ length: PEOPLE }, () => stage.person()))
        await Promise.all(people.map((person) => stage.enroll(automation, person)))
        await stage.soon('it is in the middle', () => takenBy(stage, people) > PEOPLE / 2, 60_000)
        const saved = await saveTables(world.databaseUrl, folder)
        const atBackup = takenBy(stage, people)
        await stage.soon('more is sent', () => takenBy(stage, people) > atBackup + 5, 60_000)

        // Everything is lost at once.
        for (const kind of ['worker', 'api']) world.signal(kind, 'SIGSTOP')
        await world.endSessions()
        await loadTables(world.superuserUrl, folder, saved)
        await markRestored(world.orm.em)
        for (const kind of ['worker', 'api']) world.signal(kind, 'SIGKILL')
        world.setMail({ takesMs: null })
        await world.ready()
        people.push(await stage.person())
        await stage.enroll(automation, people.at(-1)!)
        const atLoss = takenBy(stage, people)
        await stage.never('An email was sent before the reconciliation', () => takenBy(stage, people) > atLoss, 5_000)

        await world.cli('reconcile')
        for (const person of people) await completedOrEnded(stage, person)
        for (const person of people) await noneTwiceOrLost(stage, person)
      } finally {
        world.setMail({ takesMs: null })
        rmSync(folder, { recursive: true, force: true })
      }
    },
  },
  'restored-before-the-claim': {
    what: 'the database is restored while the mail server waits for an email: nothing is sent until it is reconciled',
    async play(stage) {
      const automation = await stage.automation(SUBJECTS.map(email))
      const person = await stage.person()
      const standing = await stage.meet('worker: DATA begun, before claim', () => stage.enroll(automation, person))
      await markRestored(stage.world.orm.em)
      standing.go()
      await stage.never('An email was claimed before the reconciliation', () => stage.taken(person).length > 0, 5_000)
      await stage.world.cli('reconcile')
      await stage.completed(person, 120_000)
      await noneTwice(stage, person)
    },
  },
  'older-temporal': {
    what: 'Temporal is backed up under load, continues, and is restored below the newer database',
    needsTemporalFile: true,
    async play(stage) {
      const { world } = stage
      const folder = mkdtempSync(join(tmpdir(), 'dripline-story-'))
      const saved = join(folder, 'temporal.db')
      const some = (count: number) => Promise.all(Array.from({ length: count }, () => stage.person()))
      try {
        const automation = await stage.automation(SUBJECTS.map(email))
        world.setMail({ takesMs: 200 })
        const people = await some(PEOPLE)
        const [ended, erased] = (await some(2)) as [Person, Person]
        await Promise.all([...people, ended, erased].map((person) => stage.enroll(automation, person)))
        await stage.soon('it is in the middle', () => takenBy(stage, people) > PEOPLE / 2, 60_000)
        await world.saveTemporal(saved)
        const atBackup = takenBy(stage, people)

        // All of that is in the database, but not in the restored Temporal.
        await Promise.all([
          stage.ask('DELETE', `/automations/${automation}/enrollments/${ended.id}`),
          stage.erase(erased),
        ])
        const over = Date.now()
        await stage.soon('more is sent', () => takenBy(stage, people) > atBackup + 5, 60_000)
        // No worker starts what is delivered to Temporal now.
        world.signal('worker', 'SIGSTOP')
        const [called, fired] = await Promise.all([some(5), some(5)])
        await Promise.all([
          ...called.map((person) => stage.enroll(automation, person)),
          ...fired.map((person) => stage.fire(person)),
        ])
        people.push(...called, ...fired)
        await stage.soon('Temporal has all of it', async () => (await stage.undelivered()) === 0)

        for (const kind of ['worker', 'api']) world.signal(kind, 'SIGKILL')
        await world.restoreTemporal(saved)
        await world.ready()
        await world.cli('reconcile')
        world.setMail({ takesMs: null })
        for (const person of people) await stage.completed(person, 120_000)
        for (const person of people) await noneTwice(stage, person)
        stage.nothingSince(ended, over, 'the enrollment was ended')
        stage.nothingSince(erased, over, 'the contact was erased')
      } finally {
        world.setMail({ takesMs: null })
        rmSync(folder, { recursive: true, force: true })
      }
    },
  },
}
