import { setTimeout as delay } from 'node:timers/promises'
import { type Person, type Stage, Wrong } from '../stage.ts'
import type { Story } from './story.ts'

/** A campaign to some who are in a list, and has it begin. */
async function aCampaign(stage: Stage, people: readonly Person[]) {
  const list = (await stage.ask('POST', '/lists', { name: 'All' })).body.data['id'] as string
  await stage.ask('POST', `/lists/${list}/contacts`, { contactIds: people.map(({ id }) => id) })
  const said = { name: 'News', subject: 'News', text: 'x', audience: { listIds: [list] } }
  const id = (await stage.ask('POST', '/campaigns', said)).body.data['id'] as string
  const read = async () => (await stage.ask('GET', `/campaigns/${id}`)).body.data as { status: string; stats: Counts }
  return {
    id,
    list,
    read,
    schedule: () => stage.ask('POST', `/campaigns/${id}/schedule`, {}),
    sent: () => stage.soon('the campaign is over', async () => (await read()).status === 'SENT', 120_000),
  }
}
type Counts = Record<string, number>

const somePeople = (stage: Stage, count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => stage.person()))

/** Each was mailed once, or is listed as one of whom nobody knows; and the account adds up. */
async function accountedFor(
  stage: Stage,
  people: readonly Person[],
  read: () => Promise<{ stats: Counts }>,
  mostUnconfirmed: number,
): Promise<void> {
  let unconfirmed = 0
  for (const person of people) {
    const taken = stage.taken(person).length
    const statuses = (await stage.messagesOf(person)).map(({ status }) => status)
    if (taken > 1) throw new Wrong(`${person.email} was mailed ${taken} times`)
    if (statuses.length !== 1) throw new Wrong(`${person.email} has ${statuses.length} rows in the ledger`)
    if (statuses[0] === 'UNCONFIRMED') unconfirmed += 1
    else if (taken !== 1 || statuses[0] !== 'SENT')
      throw new Wrong(`${person.email} was mailed ${taken} times, recorded as ${statuses.join(', ')}`)
  }
  if (unconfirmed > mostUnconfirmed) throw new Wrong(`${unconfirmed} are UNCONFIRMED, of ${people.length}`)
  const { stats } = await read()
  const { recipients, ...terms } = stats
  const sum = Object.values(terms).reduce((total, each) => total + each, 0)
  if (recipients !== people.length || sum !== recipients)
    throw new Wrong(`The account is ${JSON.stringify(stats)}, of ${people.length}`)
}

/** Who hands over at a time: of so many nobody may know what came of them. */
const CONNECTIONS = 5

/** Stories of one email to many. */
export const CAMPAIGNS: Record<string, Story> = {
  'campaign-sender-dies': {
    what: 'a worker dies in the middle of a campaign: each recipient is mailed once, or nobody knows, and the account adds up',
    async play(stage) {
      const people = await somePeople(stage, 40)
      const campaign = await aCampaign(stage, people)
      const point = stage.random.pick([
        'worker: recipients written',
        'worker: permit',
        'worker: claimed',
        'worker: before the message',
        'worker: before the end of DATA',
        'worker: answer read',
        'worker: before record',
      ])
      const standing = await stage.meet(point, campaign.schedule)
      process.kill(standing.pid, 'SIGKILL')
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, CONNECTIONS)
    },
  },
  'campaign-walker-dies': {
    what: 'a worker dies when it has written down recipients of a campaign: none is left out, and none is there twice',
    async play(stage) {
      const people = await somePeople(stage, 40)
      const campaign = await aCampaign(stage, people)
      const standing = await stage.meet('worker: recipients materialized', campaign.schedule)
      process.kill(standing.pid, 'SIGKILL')
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, 0)
    },
  },
  'campaign-sender-naps': {
    what: 'a worker is stopped while it sends an email of a campaign, and goes on within its lease',
    async play(stage) {
      const people = await somePeople(stage, 1)
      const campaign = await aCampaign(stage, people)
      const standing = await stage.meet('worker: claimed', campaign.schedule)
      process.kill(standing.pid, 'SIGSTOP')
      try {
        const isFinal = async () => (await stage.messagesOf(people[0]!)).some(({ status }) => status !== 'SENDING')
        await stage.never('A message was made final whose sender may live', isFinal, 25_000)
      } finally {
        process.kill(standing.pid, 'SIGCONT')
        standing.go()
      }
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, 0)
    },
  },
  'campaign-claimed-elsewhere': {
    what: 'a worker that was stopped before it claimed an email of a campaign comes back when another one has sent all',
    async play(stage) {
      const people = await somePeople(stage, 3)
      const campaign = await aCampaign(stage, people)
      const standing = await stage.meet('worker: DATA begun, before claim', campaign.schedule)
      process.kill(standing.pid, 'SIGSTOP')
      try {
        const isMailed = () => people.every((person) => stage.taken(person).length > 0)
        await stage.soon('another worker mails everybody', isMailed, 120_000)
      } finally {
        standing.go()
        process.kill(standing.pid, 'SIGCONT')
      }
      await stage.never(
        'Somebody was mailed twice',
        () => people.some((person) => stage.taken(person).length > 1),
        4_000,
      )
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, 0)
    },
  },
  'campaign-paused-before-the-claim': {
    what: 'the pause of a campaign is acknowledged while the mail server waits for an email of it',
    async play(stage) {
      const people = await somePeople(stage, 2)
      const campaign = await aCampaign(stage, people)
      const standing = await stage.meet('worker: DATA begun, before claim', campaign.schedule)
      await stage.ask('POST', `/campaigns/${campaign.id}/pause`)
      const before = people.filter((person) => stage.taken(person).length > 0).length
      standing.go()
      const isMore = () => people.filter((person) => stage.taken(person).length > 0).length > before
      await stage.never('An email of a paused campaign was claimed', isMore)
      await stage.ask('POST', `/campaigns/${campaign.id}/resume`)
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, 0)
    },
  },
  'campaign-without-temporal': {
    what: 'a campaign is scheduled while Temporal is away, and sent when it is back',
    async play(stage) {
      const people = await somePeople(stage, 2)
      const campaign = await aCampaign(stage, people)
      const { proxies } = stage.world
      await proxies.add('temporal', 'timeout')
      try {
        await campaign.schedule()
        await delay(2_000)
      } finally {
        await proxies.remove('temporal', 'timeout')
      }
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, 0)
    },
  },
  'campaign-opt-out-before-the-claim': {
    what: 'a recipient of a campaign is suppressed while the mail server waits for the email to them',
    async play(stage) {
      const [person] = (await somePeople(stage, 1)) as [Person]
      const campaign = await aCampaign(stage, [person])
      const standing = await stage.meet('worker: DATA begun, before claim', campaign.schedule)
      await stage.ask('POST', '/suppressions', { email: person.email, reason: 'UNSUBSCRIBED' })
      standing.go()
      await campaign.sent()
      const statuses = (await stage.messagesOf(person)).map(({ status }) => status)
      if (stage.taken(person).length > 0) throw new Wrong('An email was claimed after its recipient opted out')
      if (statuses.join() !== 'SUPPRESSED') throw new Wrong(`The message is ${statuses.join()}`)
    },
  },
  'campaign-cancelled-before-the-claim': {
    what: 'the cancellation of a campaign is acknowledged while the mail server waits for an email of it',
    async play(stage) {
      const people = await somePeople(stage, 2)
      const campaign = await aCampaign(stage, people)
      const standing = await stage.meet('worker: DATA begun, before claim', campaign.schedule)
      const { at } = await stage.ask('POST', `/campaigns/${campaign.id}/cancel`)
      standing.go()
      const isFinal = async () => {
        const rows = (await Promise.all(people.map((person) => stage.messagesOf(person)))).flat()
        return rows.every(({ status }) => status === 'DISMISSED' || status === 'SENT')
      }
      await stage.soon('each recipient has a final status', isFinal)
      for (const person of people) stage.nothingSince(person, at, 'the cancellation')
    },
  },
}
