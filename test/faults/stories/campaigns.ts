import { setTimeout as delay } from 'node:timers/promises'
import { type Person, type Stage, Wrong } from '../stage.ts'
import type { Story } from './story.ts'

/** Creates a campaign to some contacts in a list, and starts it. */
async function aCampaign(stage: Stage, people: readonly Person[]) {
  const list = (await stage.ask('POST', '/lists', { name: 'All' })).body.data['id'] as string
  await stage.ask('POST', `/lists/${list}/contacts`, { contactIds: people.map(({ id }) => id) })
  const fields = { name: 'News', subject: 'News', text: 'x', audience: { listIds: [list] } }
  const id = (await stage.ask('POST', '/campaigns', fields)).body.data['id'] as string
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

/**
 * Checks that each recipient got one email, or is listed with an unknown outcome, and that the signed delivery report adds up.
 */
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
    if (taken > 1) throw new Wrong(`${person.email} got ${taken} emails`)
    if (statuses.length !== 1) throw new Wrong(`${person.email} has ${statuses.length} messages`)
    if (statuses[0] === 'UNCONFIRMED') unconfirmed += 1
    else if (taken !== 1 || statuses[0] !== 'SENT')
      throw new Wrong(`${person.email} got ${taken} emails, recorded as ${statuses.join(', ')}`)
  }
  if (unconfirmed > mostUnconfirmed) throw new Wrong(`${unconfirmed} are UNCONFIRMED of ${people.length}`)
  const { stats } = await read()
  const { recipients, ...terms } = stats
  const sum = Object.values(terms).reduce((total, each) => total + each, 0)
  if (recipients !== people.length || sum !== recipients)
    throw new Wrong(`The signed delivery report is ${JSON.stringify(stats)} for ${people.length}`)
}

/** Connections of a worker: maximum number of emails with an unknown outcome. */
const CONNECTIONS = 5

/** Stories of campaigns. */
export const CAMPAIGNS: Record<string, Story> = {
  'campaign-sender-dies': {
    what: 'a worker dies in the middle of a campaign: each recipient gets one email or has an unknown outcome, and the signed delivery report adds up',
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
    what: 'a worker dies after it has stored recipients of a campaign: none is missing, and none is stored twice',
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
    what: 'a worker is stopped while it sends an email of a campaign, and continues within its lease',
    async play(stage) {
      const people = await somePeople(stage, 1)
      const campaign = await aCampaign(stage, people)
      const standing = await stage.meet('worker: claimed', campaign.schedule)
      process.kill(standing.pid, 'SIGSTOP')
      try {
        const isFinal = async () => (await stage.messagesOf(people[0]!)).some(({ status }) => status !== 'SENDING')
        await stage.never('A message was finalized whose sender may be alive', isFinal, 25_000)
      } finally {
        process.kill(standing.pid, 'SIGCONT')
        standing.go()
      }
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, 0)
    },
  },
  'campaign-claimed-elsewhere': {
    what: 'a worker that was stopped before it claimed an email of a campaign continues after another one has sent all',
    async play(stage) {
      const people = await somePeople(stage, 3)
      const campaign = await aCampaign(stage, people)
      const standing = await stage.meet('worker: DATA begun, before claim', campaign.schedule)
      process.kill(standing.pid, 'SIGSTOP')
      try {
        const isMailed = () => people.every((person) => stage.taken(person).length > 0)
        await stage.soon('another worker sends all emails', isMailed, 120_000)
      } finally {
        standing.go()
        process.kill(standing.pid, 'SIGCONT')
      }
      await stage.never(
        'A recipient got two emails',
        () => people.some((person) => stage.taken(person).length > 1),
        4_000,
      )
      await campaign.sent()
      await accountedFor(stage, people, campaign.read, 0)
    },
  },
  'campaign-paused-before-the-claim': {
    what: 'the pause of a campaign is acknowledged while the mail server waits for one of its emails',
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
    what: 'a campaign is scheduled while Temporal is unavailable, and sent when it is back',
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
    what: 'the cancellation of a campaign is acknowledged while the mail server waits for one of its emails',
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
