import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImportRequest } from '../../src/bin/commands/run-import.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { importing } from './importing.ts'

const FILES = fileURLToPath(new URL('files/', import.meta.url))

interface Person {
  first_name: string | null
  external_id: string | null
  metadata: Record<string, unknown>
  tags: string[] | null
  reasons: string[]
}

describe('an import of another service’s export', () => {
  const { folder, em, atCommandLine } = importing()

  type More = Omit<Partial<ImportRequest>, 'path' | 'workspace'>
  /** Imports the files into a new workspace and returns its contacts by the local part of their address. */
  async function importAll(files: readonly (readonly [name: string, more: More])[]): Promise<Map<string, Person>> {
    const [row] = await sql<{ id: string }>(
      em(),
      `insert into workspaces (id, name, mode) values (gen_random_uuid(), 'Import', 'live') returning id`,
    )
    for (const [name, more] of files) {
      const errors = join(folder(), 'errors.csv')
      const done = await atCommandLine(join(FILES, name), { workspace: row!.id, errors, ...more })
      assert.deepEqual({ failed: done.failed, problem: done.problem }, { failed: 0, problem: null }, name)
    }
    const rows = await sql<Person & { email: string }>(
      em(),
      `select lower(email) as email, first_name, external_id, metadata,
         (select array_agg(name order by name) from contact_tags where contact_id = contact.id) as tags,
         array(select reason from suppressions
          where workspace_id = contact.workspace_id and address_hash = address_hash(contact.workspace_id, contact.email_key)
          order by reason) as reasons
       from contacts contact where workspace_id = $1::uuid order by 1`,
      [row!.id],
    )
    return new Map(rows.map(({ email, ...of }) => [email.split('@')[0]!, of]))
  }

  /** The reasons of the suppressed contacts. */
  const suppressed = (people: Map<string, Person>) =>
    Object.fromEntries(
      [...people].flatMap(([name, { reasons }]) => (reasons.length > 0 ? [[name, reasons.join()]] : [])),
    )

  it('reads names, attributes, the blocklist and list opt-outs from listmonk', async () => {
    const people = await importAll([
      ['listmonk.csv', { preset: 'listmonk' }],
      ['listmonk-list-unsubscribed.csv', { preset: 'listmonk', consent: 'UNSUBSCRIBED' }],
    ])
    const { 'li.wei': list, ist, ...blocked } = suppressed(people)
    assert.deepEqual([list, ist], ['IMPORTED', 'IMPORTED'])
    assert.ok(Object.keys(blocked).length > 0)
    assert.deepEqual([...new Set(Object.values(blocked))], ['MANUAL'])
    const ada = people.get('ada')!
    assert.equal(ada.first_name, 'Ada')
    assert.deepEqual([ada.metadata['age'], ada.metadata['plan'], ada.metadata['name']], [42, 'pro', 'Ada Byron'])
    assert.equal(ada.metadata['createdAt'], '2023-02-10T22:07:16.199Z')
  })

  it('reads subscribed, unsubscribed, cleaned and nonsubscribed contacts from Mailchimp, in any order of files', async () => {
    const column = [{ column: 'Favourite topics', field: 'metadata.topics' }]
    const of = (more: More): More => ({ preset: 'mailchimp', column, ...more })
    const files = [
      ['mailchimp-subscribed.csv', of({ consent: 'SUBSCRIBED' })],
      ['mailchimp-unsubscribed.csv', of({})],
      ['mailchimp-cleaned.csv', of({})],
      ['mailchimp-nonsubscribed.csv', of({ consent: 'UNSUBSCRIBED' })],
    ] as const
    const people = await importAll(files)
    const reasons = suppressed(people)
    assert.deepEqual(suppressed(await importAll(files.toReversed())), reasons)
    assert.partialDeepStrictEqual(reasons, {
      left: 'IMPORTED',
      gone: 'BOUNCED',
      buyer: 'IMPORTED',
    })
    assert.equal(reasons['bjoern'], undefined)
    const [ada, grace] = [people.get('ada')!, people.get('grace')!]
    assert.deepEqual(
      [grace.first_name, grace.tags, grace.metadata['lastName']],
      ['Grace "Amazing"', ['Customer', 'VIP'], 'Hopper, PhD'],
    )
    assert.ok(ada.tags?.includes('Newsletter, weekly'))
    assert.equal(ada.metadata['topics'], 'Engines, Looms')
    assert.equal(ada.metadata['OPTIN_IP'], undefined)
    // Campaigns use it to send at a local time.
    assert.equal(ada.metadata['timezone'], 'europe/london')
  })

  it('reads a Mailchimp export in German, and asks for the consent and for unknown columns', async () => {
    const people = await importAll([['mailchimp-german-unsubscribed.csv', { preset: 'mailchimp' }]])
    assert.partialDeepStrictEqual(people.get('zoe'), { first_name: 'Zoë', tags: ['Kundin'], reasons: ['IMPORTED'] })
    const subscribed = join(FILES, 'mailchimp-subscribed.csv')
    await assert.rejects(
      atCommandLine(subscribed, { preset: 'mailchimp' }),
      /"Favourite topics"[^]*State the consent[^]*--column "Favourite topics=metadata/,
    )
    // Without a preset, nothing is guessed. The command names the preset.
    await assert.rejects(atCommandLine(subscribed, { consent: 'SUBSCRIBED' }), /--preset mailchimp/)
  })

  it('reads subscriptions and data from Plunk in each of its formats', async () => {
    for (const name of ['plunk.json', 'plunk-v1.json', 'plunk.csv']) {
      const column = name.endsWith('.csv')
        ? ['plan', 'company'].map((title) => ({ column: title, field: `metadata.${title}` }))
        : []
      const people = await importAll([[name, { preset: 'plunk', column }]])
      assert.ok(people.size >= 4)
      assert.deepEqual([people.get('grace')!.first_name, people.get('grace')!.reasons], ['Grace "Amazing"', []])
      const out = suppressed(people)
      assert.ok(Object.keys(out).length > 0)
      assert.deepEqual([...new Set(Object.values(out))], ['IMPORTED'], name)
    }
  })

  it('reads names, attributes and opt-outs from other services', async () => {
    for (const [preset, expected, ada] of [
      [
        'keila',
        { left: 'IMPORTED', gone: 'BOUNCED', odd: 'IMPORTED' },
        { external_id: 'K-1', metadata: { lastName: 'Byron', city: 'London', tags: ['engines'] } },
      ],
      [
        'buttondown',
        { left: 'IMPORTED', new: 'IMPORTED', gone: 'BOUNCED', spam: 'MANUAL' },
        {
          tags: ['engines', 'looms'],
          metadata: {
            ...{ buttondownId: '01a1', createdAt: '2024-02-03T04:05:06.789Z' },
            ...{ notes: 'Met at a fair', city: 'London' },
          },
        },
      ],
      [
        'brevo',
        { left: 'IMPORTED' },
        {
          first_name: 'Ada',
          metadata: { brevoId: '1', lastName: 'Byron', phone: '+442079460000', createdAt: '2024-02-03 04:05:06' },
        },
      ],
      [
        'hubspot',
        { left: 'IMPORTED', gone: 'BOUNCED', not: 'IMPORTED' },
        { first_name: 'Ada', metadata: { hubspotId: '101', createdAt: '2024-02-03T04:05:00.000Z' } },
      ],
      [
        'kit',
        { left: 'IMPORTED', gone: 'BOUNCED', spam: 'MANUAL', new: 'IMPORTED' },
        { first_name: 'Ada', tags: ['engines', 'looms'] },
      ],
      [
        'substack',
        { left: 'IMPORTED' },
        { metadata: { plan: 'yearly_a', activeSubscription: 'true', createdAt: '2024-02-03T04:05:06.000Z' } },
      ],
      [
        'ghost',
        { left: 'IMPORTED', gone: 'IMPORTED' },
        {
          first_name: 'Ada',
          tags: ['engines', 'looms'],
          metadata: { name: 'Ada Byron', ghostId: '65bdb9a1e8f1', tiers: 'Gold' },
        },
      ],
    ] as const) {
      const people = await importAll([[`${preset}.csv`, { preset, column: [] }]])
      assert.deepEqual(suppressed(people), expected, preset)
      assert.partialDeepStrictEqual(people.get('ada'), ada)
    }
  })
})
