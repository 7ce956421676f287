import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { returnQuota, takeWarmUpQuota } from '../../src/senders/index.ts'
import type { BrowserLike } from '../support/browser-like.ts'
import { aCampaign } from '../support/campaigns.ts'
import { eventually as eventuallyDefined } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { isDeferred, tryAgain } from '../support/pending-email.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

/** Waits until a check returns a value other than false or undefined. */
const eventually = <Value>(what: string, look: () => Promise<Value>): Promise<Exclude<Value, false | undefined>> =>
  eventuallyDefined(what, async () => (await look()) || undefined) as Promise<Exclude<Value, false | undefined>>

interface WarmUp {
  since: string
  day: number
  allowedToday: number | null
  sentToday: number
}

describe('sender warm-up', () => {
  let service: Service
  let sink: SmtpSink
  let owner: BrowserLike
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    owner = (await aMember(service, 'owner')).browser
  })
  beforeEach(async () => {
    await ask('DELETE', 'sender/warm-up')
    await sql(em(), 'delete from warm_up_days where workspace_id = $1::uuid', [service.workspaceId])
  })

  const em = () => service.context.orm.em.fork()
  const ask = (method: string, path: string, body?: object) =>
    owner.ask(method, path, { workspaceId: service.workspaceId, ...(body && { body }) })
  const warmUp = async (perDay: number, growthPercent = 100, upTo = 1_000_000) => {
    const { status, body } = await ask('PUT', 'sender/warm-up', { perDay, growthPercent, upTo })
    assert.equal(status, 200, JSON.stringify(body))
  }
  const readWarmUp = async () => ((await ask('GET', 'sender')).body.data as { warmUp?: WarmUp }).warmUp
  /** Simulates the passage of days by moving the start and the counters back. */
  const daysPass = (days: number) =>
    sql(
      em(),
      `with began as (update senders set warm_up_since = warm_up_since - $1::integer where workspace_id = $2::uuid)
       update warm_up_days set day = day - $1::integer where workspace_id = $2::uuid`,
      [days, service.workspaceId],
    )
  const mailed = async (contactIds: string[]) => {
    const addresses = await Promise.all(contactIds.map((id) => addressOf(service, id)))
    return sink.mails.filter(({ to }) => addresses.includes(to[0]!)).length
  }
  const statuses = async (where: string, id: string) => {
    const rows = await sql<{ status: string; count: number }>(
      em(),
      `select status, count(*)::integer as count from messages where ${where} = $1::uuid group by 1`,
      [id],
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }
  const contacts = (n: number) => Promise.all(Array.from({ length: n }, () => aContact(service)))
  async function aCampaignTo(contactIds: string[], fields: object = {}): Promise<string> {
    const list = await aList(service)
    await service.call('POST', `lists/${list}/contacts`, { contactIds })
    return aCampaign(service, [list], fields)
  }

  it('grows daily until it ends', async () => {
    assert.equal(await readWarmUp(), undefined)
    await warmUp(50, 50, 400)
    const allowed = []
    for (let day = 0; day < 7; day += 1) {
      allowed.push((await readWarmUp())!.allowedToday)
      await daysPass(1)
    }
    assert.deepEqual(allowed, [50, 75, 112, 169, 253, 380, null])
    // The calculation does not overflow years later.
    await daysPass(100_000)
    assert.equal((await readWarmUp())!.allowedToday, null)
    assert.equal((await takeWarmUpQuota(em(), service.workspaceId, 1_000, false)).granted, 1_000)
  })

  it('keeps its day when its numbers change, and restarts after it is deleted or has ended', async () => {
    await warmUp(50)
    await daysPass(2)
    await warmUp(10)
    assert.partialDeepStrictEqual(await readWarmUp(), { day: 3, allowedToday: 40 })
    await ask('DELETE', 'sender/warm-up')
    await warmUp(10, 50, 400)
    assert.partialDeepStrictEqual(await readWarmUp(), { day: 1, allowedToday: 10 })
    await daysPass(100)
    assert.equal((await readWarmUp())!.allowedToday, null)
    await warmUp(50, 50, 400)
    assert.partialDeepStrictEqual(await readWarmUp(), { day: 1, allowedToday: 50 })
  })

  it('does not count messages that the server defers, even after it received their content', async () => {
    const ids = await contacts(2)
    await warmUp(2)
    sink.behave({ code: 451, text: '4.7.1 Later', at: 'data' })
    const id = await aCampaignTo(ids)
    await eventually('both are deferred', async () => (await statuses('campaign_id', id))['DEFERRED'] === 2)
    sink.behave('accept')
    await sql(em(), 'update messages set due_at = now() where campaign_id = $1::uuid', [id])
    await service.context.dependencies.enrollments.campaign(service.workspaceId, id)
    await eventually('both are sent', async () => (await statuses('campaign_id', id))['SENT'] === 2)
    assert.equal((await readWarmUp())!.sentToday, 2)
  })

  it('returns 400 if the limit would not grow', async () => {
    for (const [body, field] of [
      [{ perDay: 100, growthPercent: 50, upTo: 100 }, 'upTo'],
      [{ perDay: 0, growthPercent: 50, upTo: 100 }, 'perDay'],
      [{ perDay: 1, growthPercent: 0, upTo: 100 }, 'growthPercent'],
      [{ perDay: 1, growthPercent: 1.5, upTo: 100 }, 'growthPercent'],
    ] as const) {
      const { status, body: answer } = await ask('PUT', 'sender/warm-up', body)
      assert.equal(status, 400)
      assert.match(JSON.stringify(answer), new RegExp(field))
    }
    assert.equal(await readWarmUp(), undefined)
  })

  it('keeps the sender, and is kept when the sender changes', async () => {
    await warmUp(50)
    await ask('PUT', 'sender', { fromName: 'Orchard' })
    assert.equal((await readWarmUp())!.allowedToday, 50)
    await warmUp(60)
    assert.equal((await ask('GET', 'sender')).body.data.fromName, 'Orchard')
    await ask('PUT', 'sender', {})
  })

  it('never grants more than the limit to concurrent requests, and grants returned quota again', async () => {
    await warmUp(100)
    const asked = await Promise.all(
      Array.from({ length: 40 }, () => takeWarmUpQuota(em(), service.workspaceId, 7, false)),
    )
    const granted = asked.reduce((sum, places) => sum + places.granted, 0)
    assert.equal(granted, 100)
    assert.equal((await readWarmUp())!.sentToday, 100)
    const { day, moreInSeconds } = asked[0]!
    assert.ok(moreInSeconds > 0 && moreInSeconds <= 86_400)
    await returnQuota(em(), service.workspaceId, day!, 5)
    assert.equal((await takeWarmUpQuota(em(), service.workspaceId, 7, false)).granted, 5)
    // Transactional messages may exceed the limit, and count.
    assert.equal((await takeWarmUpQuota(em(), service.workspaceId, 7, true)).granted, 7)
    assert.equal((await readWarmUp())!.sentToday, 107)
  })

  it('does not delay transactional emails, but counts them', async () => {
    const ids = await contacts(3)
    await warmUp(1)
    const id = await aCampaignTo(ids, { category: 'transactional' })
    await eventually('all are sent', async () => (await statuses('campaign_id', id))['SENT'] === 3)
    const receipt = await anAutomation(service, { steps: [{ ...EMAIL, category: 'transactional' }] })
    await enroll(service, receipt, ids[0]!)
    await eventually('the receipt is sent', async () => (await statuses('automation_id', receipt))['SENT'] === 1)
    assert.equal((await readWarmUp())!.sentToday, 4)
  })

  it('defers an email of an automation until quota is available', async () => {
    const ids = await contacts(2)
    await warmUp(1)
    const automation = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, automation, ids[0]!)
    await eventually('the first is sent', async () => (await statuses('automation_id', automation))['SENT'] === 1)
    await enroll(service, automation, ids[1]!)
    const afterSeconds = await isDeferred(service, automation, ids[1]!)
    // The delay is at most an hour, or ends soon after midnight.
    assert.ok(afterSeconds > 0 && afterSeconds <= 3_600, `${afterSeconds} s`)
    const attempts = await sql(em(), 'select from messages where contact_id = $1::uuid', [ids[1]!])
    assert.equal(attempts.length, 0, 'it was not attempted')
    assert.equal(await mailed(ids), 1)
    assert.equal((await readWarmUp())!.sentToday, 1)
    await daysPass(1)
    await tryAgain(service, automation, ids[1]!)
    await eventually('the second is sent', async () => (await mailed(ids)) === 2)
    assert.equal((await readWarmUp())!.sentToday, 1)
  })
})
