import assert from 'node:assert/strict'
import type { ColumnChoice } from '../../src/imports/index.ts'
import { type ContactBody, importing } from './importing.ts'

/** Columns by which people said no, in the words of shops, registers and spreadsheets: the title, a no, and a yes. */
const COLUMNS: readonly (readonly [title: string, no: string, yes: string])[] = [
  ['Blocked', 'x', ''],
  ['Afgemeld', 'ja', ''],
  ['Cancelado', '2024-05-06', ''],
  ['DND', '1', '0'],
  ['Mailable', 'no', 'yes'],
  ['Unsubscribed', 'TRUE', 'FALSE'],
  ['Opted out (Y/N)', 'Y', 'N'],
  ['opt_in', 'false', 'true'],
  ['Newsletter', '', 'on'],
  ['Kein Mailing', 'x', ''],
  ['Abgemeldet am', '06.05.2024', ''],
  ['Widerruf', '2024-05-06', ''],
  ['Werbesperre', 'ja', 'nein'],
  ['Einwilligung', 'nein', 'ja'],
  ['Désabonné', 'oui', 'non'],
  ['Estado', 'Dado de baja', 'Activo'],
  ['Iscritto', 'no', 'sì'],
  ['Uitgeschreven', 'ja', 'nee'],
  ['Avregistrerad', 'ja', 'nej'],
  ['Peruutettu', 'kyllä', 'ei'],
  ['Wypisany', 'tak', 'nie'],
  ['Отписан', 'да', 'нет'],
  ['退订', '是', '否'],
  ['配信停止', '1', ''],
  ['Leiratkozott', 'igen', 'nem'],
  ['Odhlášen', 'ano', 'ne'],
  ['Status', 'Not subscribed', 'Subscribed'],
  ['Email Marketing Consent', 'NEVER_SUBSCRIBED', 'SUBSCRIBED'],
  ['Accepts Email Marketing', 'no', 'yes'],
  ['Contact?', 'never', 'any time'],
  ['Mail', 'stop', 'ok'],
  ['Flag', 'R', 'G'],
  ['Code', '2', '1'],
  ['Bounces', '3', '0'],
  ['Consent withdrawn', 'yes', 'no'],
  ['Left', '2023', ''],
  ['Deceased', 'y', 'n'],
  ['Notes', 'Unsubscribed by Bruno', 'Met at a fair'],
  ['Tags', 'vip, do-not-email', 'vip'],
  ['', 'unsubscribed', 'x'],
  ['I agree to receive news, and can unsubscribe at any time', 'No', 'Yes'],
  ['GDPR', 'revoked', 'given'],
  ['LGPD', 'negado', 'aceito'],
  ['E-mail OK?', 'N', 'J'],
  ['Robinson list', '1', '0'],
  ['TPS', 'registered', ''],
  ['Suppression', 'hard', 'none'],
  ['Complaint', '2024-01-01', '0000-00-00'],
  ['Communication preference', 'Post', 'Email'],
  ['Mailings suspended until', '2099-12-31', ''],
  ['Subscription', 'cancelled', 'active'],
]

describe('an import of a file with columns that may hold consent', () => {
  const { service, draft, run } = importing()
  const line = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()
  /** Each person says no in one column, and the last in none. */
  const text = [
    line(['email', ...COLUMNS.map(([title]) => title)]),
    ...COLUMNS.map((_, n) => line([`no${n}@example.com`, ...COLUMNS.map(([, no, yes], at) => (at === n ? no : yes))])),
    line(['yes@example.com', ...COLUMNS.map(([, , yes]) => yes)]),
    '',
  ].join('\n')
  const names = COLUMNS.map(([title], n) => title || `Column ${n + 2}`)

  it('imports no contact before each column is decided, with any title', async () => {
    assert.ok(COLUMNS.length >= 50)
    const body = { name: 'x.csv', text, consent: 'SUBSCRIBED', start: true }
    assert.equal((await service().call('POST', 'imports', body)).refused, '400 mapping_incomplete')
    for (const preset of [undefined, 'plunk', 'hubspot']) {
      const { id } = await draft(text, { consent: null, ...(preset && { preset }) })
      const { columns, missing } = (await service().call('GET', `imports/${id}/mapping`)).body.data as {
        columns: { column: string; decision: { field: string } | null }[]
        missing: string[]
      }
      // A preset that knows a column takes consent from it, and nothing else.
      const others = columns.slice(1).filter(({ decision }) => decision && decision.field !== 'consent')
      assert.deepEqual(others, [], preset)
      const undecided = columns.slice(1).flatMap(({ column, decision }) => (decision ? [] : [column]))
      assert.ok(missing.length > 0 && (preset || undecided.join() === names.join()), undecided.join())
    }
  })

  it('suppresses every contact who did not say yes in each column', async () => {
    const columns = COLUMNS.map(([, , yes], n): ColumnChoice => ({ column: names[n]!, field: 'consent', yes: [yes] }))
    const done = await run((await draft(text, { columns })).id)
    assert.deepEqual([done.created, done.suppressed, done.failed], [COLUMNS.length + 1, COLUMNS.length, 0])
    const { data } = (await service().call('GET', 'contacts?limit=100')).body
    const others = (data as ContactBody[]).filter(({ suppressedBy }) => suppressedBy !== 'IMPORTED')
    assert.deepEqual(
      others.map(({ email, suppressedBy }) => [email, suppressedBy]),
      [['yes@example.com', null]],
    )
  })
})
